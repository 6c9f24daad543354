import { START_VOID_MS } from '../contracts/flow-control.ts';

/** Start times of a chunk: lanes take them, wait for more, and the chunk asks its parent for as many as it used lately. Pure; times in ms. */
export class LaneStarts {
  #times: number[];
  #waiting = 0;
  #claimed = 0;
  #used = 0;
  #appetite = 1;
  #late = 0;

  constructor(times: readonly number[]) {
    this.#times = [...times];
  }

  add(times: readonly number[], nowMs: number): void {
    this.#late += times.filter((time) => time < nowMs).length;
    this.#times.push(...times);
    this.#claimed = 0;
  }

  has(): boolean {
    return this.#times.length > 0;
  }

  /** The next time that is not void. */
  take(nowMs: number): number | undefined {
    this.#times = this.#times.filter((time) => time >= nowMs - START_VOID_MS);
    const time = this.#times.shift();
    if (time !== undefined) this.#used++;
    return time;
  }

  /** A lane waits; true if the parent does not know that more are needed. */
  wait(): boolean {
    this.#waiting++;
    return this.#claimed === 0;
  }

  resume(): void {
    this.#waiting--;
  }

  /** Times that were due before they arrived, since this was last asked. */
  takeLate(): number {
    const late = this.#late;
    this.#late = 0;
    return late;
  }

  /** How many times to ask for now, at most `left`: what waits, or twice what was used since it last asked, since lanes come round again. */
  claim(left: number): number {
    if (this.#waiting === 0) return 0;
    this.#appetite = Math.max(this.#waiting, this.#used * 2);
    this.#used = 0;
    this.#claimed = Math.min(left, this.#appetite);
    return this.#claimed;
  }
}
