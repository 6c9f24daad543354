import { START_LATE_MS, START_VOID_MS } from '../contracts/flow-control.ts';

/** Missing times are asked for while each lane has some: enough for the way to the parent and back. */
const AHEAD = 4;

/** Start times of a chunk: its parent deals them second by second, lanes take them, and those that went by are asked for again. Pure; times in ms. */
export class LaneStarts {
  #times: number[];
  /** Items that have taken no time yet. */
  #left: number;
  /** Times that the parent knows to be still owed. */
  #owed: number;

  constructor({ times, left, owed }: { readonly times: readonly number[]; readonly left: number; readonly owed: number }) {
    this.#times = [...times];
    this.#left = left;
    this.#owed = owed;
  }

  add(times: readonly number[]): void {
    this.#times.push(...times);
    this.#owed = Math.max(0, this.#owed - times.length);
  }

  has(): boolean {
    return this.#times.length > 0;
  }

  /** The next time; of those that have gone by for long, the last, so that no capacity is saved up. */
  take(nowMs: number): number | undefined {
    const next = this.#times.findIndex((time) => time >= nowMs - START_LATE_MS);
    const soon = next === -1 ? undefined : this.#times[next];
    const late = this.#times[(next === -1 ? this.#times.length : next) - 1];
    const isLateBetter = late !== undefined && late >= nowMs - START_VOID_MS && (soon === undefined || soon > nowMs);
    const time = isLateBetter ? late : soon;
    this.#times = time === undefined ? [] : this.#times.slice(this.#times.indexOf(time) + 1);
    if (time !== undefined) this.#left--;
    return time;
  }

  /** How many times are missing that the parent does not know of, once few are at hand; it knows of them from now on. */
  claim(lanes: number): number {
    const missing = this.#left - this.#times.length - this.#owed;
    if (missing <= 0 || this.#times.length >= lanes * AHEAD) return 0;
    this.#owed += missing;
    return missing;
  }
}
