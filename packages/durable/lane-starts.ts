import { START_VOID_MS } from '../contracts/flow-control.ts';

/** Start times that a lane asks for ahead: enough for the way to the parent and back. */
const AHEAD = 4;

/** Start times of a chunk: lanes take them, and the chunk asks its parent for more before they run out. Pure; times in ms. */
export class LaneStarts {
  readonly #lanes: number;
  #times: number[];
  #isAsked = false;
  #used = 0;

  constructor(times: readonly number[], lanes: number) {
    this.#times = [...times];
    this.#lanes = lanes;
  }

  add(times: readonly number[]): void {
    this.#times.push(...times);
    this.#isAsked = false;
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

  /** Fewer times are left than lanes, and the parent does not know. */
  isLow(): boolean {
    return !this.#isAsked && this.#times.length < this.#lanes;
  }

  /** How many times to ask for now, at most `left`: some for each lane, or twice what was used since it last asked. */
  claim(left: number): number {
    if (!this.isLow()) return 0;
    const wanted = Math.min(left, Math.max(this.#lanes * AHEAD, this.#used * 2));
    this.#used = 0;
    this.#isAsked = wanted > 0;
    return wanted;
  }
}
