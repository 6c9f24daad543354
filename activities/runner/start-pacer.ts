/** Late starts follow each other so much closer than planned, until they are in time again. */
const CATCH_UP = 0.95;

/** How many planned distances are remembered: a rate may change while a run goes on. */
const REMEMBERED = 50;

/**
 * Keeps starts of one run in this process apart by the distance that its times are planned at, also when they come late in a bunch: late starts move
 * on together and catch up slowly. Pure; times in ms, due times on the server's clock, the others on the process's own.
 */
export class StartPacer {
  #lastDueMs = -Infinity;
  #lastMs = -Infinity;
  #distances: number[] = [];

  /** When a start that was planned for `dueMs` and could happen at `readyMs` may happen. */
  next(dueMs: number, readyMs: number): number {
    const distanceMs = Math.abs(dueMs - this.#lastDueMs);
    if (distanceMs !== 0 && Number.isFinite(distanceMs)) this.#distances = [...this.#distances.slice(1 - REMEMBERED), distanceMs];
    // Times between may have gone to other processes, or to nobody: the least distance is that of the plan.
    const apartMs = this.#distances.length === 0 ? 0 : Math.min(...this.#distances) * CATCH_UP;
    const startMs = Math.max(readyMs, Number.isFinite(this.#lastMs) ? this.#lastMs + apartMs : readyMs);
    this.#lastDueMs = Math.max(this.#lastDueMs, dueMs);
    this.#lastMs = startMs;
    return startMs;
  }
}
