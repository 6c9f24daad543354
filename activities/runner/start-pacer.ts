/**
 * Keeps the distance between the starts of one run in this process, also when they come late in a bunch: late starts move on together, the run
 * never starts faster than its times were planned. Pure; times in ms, due times on the server's clock, the others on the process's own.
 */
export class StartPacer {
  #lastDueMs = -Infinity;
  #lastMs = -Infinity;
  #stepMs = Infinity;

  /** When a start that was planned for `dueMs` and could happen at `readyMs` may happen. */
  next(dueMs: number, readyMs: number): number {
    const aheadMs = dueMs - this.#lastDueMs;
    if (aheadMs !== 0 && Number.isFinite(aheadMs)) this.#stepMs = Math.min(this.#stepMs, Math.abs(aheadMs));
    // One that was overtaken keeps the smallest distance seen.
    const apartMs = aheadMs > 0 ? aheadMs : Number.isFinite(this.#stepMs) ? this.#stepMs : 0;
    const startMs = Math.max(readyMs, Number.isFinite(this.#lastMs) ? this.#lastMs + apartMs : readyMs);
    this.#lastDueMs = Math.max(this.#lastDueMs, dueMs);
    this.#lastMs = startMs;
    return startMs;
  }
}
