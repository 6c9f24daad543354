import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import type { ChunkDeal, ChunkNeed } from '../contracts/flow-messages.ts';
import type { Gate } from '../flow-control/gate.ts';
import { dealStarts } from './start-dealing.ts';
import type { DealTerms, StartTaker } from './start-dealing.ts';
import type { ChunkHandle } from './unit-runner.ts';
import type { Unit } from './units.ts';

type Place = Pick<Unit, 'page' | 'chunk'>;

interface OpenChunk extends StartTaker {
  handle: ChunkHandle | null;
  readonly items: number;
  /** Lanes that it holds, and those that it was told to come down to. */
  lanes: number;
  target: number;
  /** It gave lanes back because nothing was left for them. */
  isIdle: boolean;
  /** It starts items at times that it is dealt. */
  isPaced: boolean;
  /** Start times that its input carries; nothing can be added once it has left. */
  boarded: readonly number[];
  hasLeft: boolean;
  /** Items that no start time was dealt for. */
  bare: number;
  /** Start times dealt that are still to come, ascending. */
  ahead: readonly number[];
}

const nameOf = ({ page, chunk }: Place): string => `${page}/${chunk}`;

const send = (chunk: OpenChunk, given: ChunkDeal): void => {
  // A child that closes meanwhile cannot be signalled any more, and its lanes come back with its end.
  chunk.handle?.signal(FLOW_MESSAGES.deal, given).catch(() => undefined);
};

const take = (chunk: OpenChunk, starts: readonly number[]): void => {
  if (starts.length === 0) return;
  chunk.bare -= starts.length;
  chunk.ahead = [...chunk.ahead, ...starts];
  if (chunk.handle === null) chunk.boarded = starts;
  else send(chunk, { starts });
};

/** The chunk children of a run and what each was dealt. They never talk to a limiter: lanes and start times come from their parent. */
export class OpenChunks {
  readonly #chunks = new Map<string, OpenChunk>();

  open(unit: Unit, lanes: number, isPaced: boolean): void {
    const items = unit.itemIds.length;
    const chunk: OpenChunk = {
      handle: null,
      items,
      lanes,
      target: lanes,
      isIdle: false,
      isPaced,
      boarded: [],
      hasLeft: false,
      bare: isPaced ? items : 0,
      ahead: [],
    };
    this.#chunks.set(nameOf(unit), chunk);
  }

  /** A chunk leaves for its child; answers the start times that it takes along, or undefined where it is not paced. */
  leave(place: Place): readonly number[] | undefined {
    const chunk = this.#chunks.get(nameOf(place));
    if (chunk === undefined) return undefined;
    chunk.hasLeft = true;
    return chunk.isPaced ? chunk.boarded : undefined;
  }

  started(place: Place, handle: ChunkHandle): void {
    const chunk = this.#chunks.get(nameOf(place));
    if (chunk === undefined) return;
    // One that is started a second time knows only of the times in its input.
    if (chunk.handle !== null && chunk.isPaced) chunk.bare = chunk.items - chunk.boarded.length;
    chunk.handle = handle;
  }

  /** Closes a chunk; answers the lanes that come back with it. */
  close(place: Place): number {
    const lanes = this.#chunks.get(nameOf(place))?.lanes ?? 0;
    this.#chunks.delete(nameOf(place));
    return lanes;
  }

  /** Takes in what a chunk says; answers the lanes that it gave up. */
  hear({ freed, starts, page, chunk: number }: ChunkNeed): number {
    const chunk = this.#chunks.get(nameOf({ page, chunk: number }));
    if (chunk === undefined) return 0;
    const given = Math.min(freed, chunk.lanes);
    if (given > 0 && chunk.target === chunk.lanes) chunk.isIdle = true;
    chunk.lanes -= given;
    chunk.target = Math.min(chunk.target, chunk.lanes);
    chunk.bare += starts;
    return given;
  }

  /** Deals start times to the open chunks; what is left stays for the units that follow, unless none does. */
  deal(gate: Gate, nowMs: number, terms: DealTerms): void {
    if (!gate.isPaced()) return this.#unpace();
    this.#pace(nowMs);
    const chunks = [...this.#chunks.values()].filter(({ handle, hasLeft }) => handle !== null || !hasLeft);
    const dealt = dealStarts(chunks, gate.startTimes(nowMs), terms);
    gate.takeStarts(dealt.flat());
    chunks.forEach((chunk, index) => take(chunk, dealt[index] ?? []));
    if (terms.perLane === Infinity) gate.dropStarts();
  }

  /** Lanes that the open chunks could use beside those that they have; at most, since only they know what is left of their items. */
  appetite(): number {
    return this.#hungry().reduce((sum, { items, lanes }) => sum + items - lanes, 0);
  }

  /** Lends lanes to the chunks with the fewest; answers how many. */
  lend(count: number): number {
    const lent = new Map<OpenChunk, number>();
    let left = count;
    for (; left > 0; left--) {
      const least = this.#hungry().reduce<OpenChunk | null>((few, chunk) => (few === null || chunk.lanes < few.lanes ? chunk : few), null);
      if (least === null) break;
      least.lanes++;
      least.target++;
      lent.set(least, (lent.get(least) ?? 0) + 1);
    }
    for (const [chunk, more] of lent) send(chunk, { more });
    return count - left;
  }

  /** Makes chunks give up lanes that the run may not keep, those with the most first. */
  shed(excess: number): void {
    const asked = [...this.#chunks.values()].reduce((sum, { lanes, target }) => sum + lanes - target, 0);
    const lowered = new Set<OpenChunk>();
    for (let left = excess - asked; left > 0; left--) {
      const largest = [...this.#chunks.values()]
        .filter(({ handle }) => handle !== null)
        .reduce<OpenChunk | null>((most, chunk) => (most === null || chunk.target > most.target ? chunk : most), null);
      if (largest === null || largest.target === 0) break;
      largest.target--;
      lowered.add(largest);
    }
    for (const chunk of lowered) send(chunk, { lanes: chunk.target });
  }

  /** Start times that open chunks need: one for each item that has none, and where lanes are slower than the rate, all until these have had their turn. */
  needs(gate: Gate, laneMs: number): number {
    const waiting = [...this.#chunks.values()].filter(({ bare }) => bare > 0);
    const turnMs = Math.max(0, ...waiting.map(({ bare, lanes }) => (bare * laneMs) / Math.max(1, lanes)));
    return Math.max(
      waiting.reduce((sum, { bare }) => sum + bare, 0),
      gate.startsIn(turnMs),
    );
  }

  #hungry(): readonly OpenChunk[] {
    return [...this.#chunks.values()].filter(
      ({ handle, isIdle, lanes, target, items }) => handle !== null && !isIdle && lanes === target && lanes > 0 && lanes < items,
    );
  }

  /** The limit has got a rate since: a chunk that knew of none says what it needs. */
  #pace(nowMs: number): void {
    for (const chunk of this.#chunks.values()) {
      chunk.ahead = chunk.ahead.filter((time) => time > nowMs);
      if (chunk.isPaced || chunk.handle === null) continue;
      chunk.isPaced = true;
      send(chunk, { starts: [] });
    }
  }

  /** The limit has no rate any more: chunks need not wait. */
  #unpace(): void {
    for (const chunk of this.#chunks.values()) {
      if (!chunk.isPaced || chunk.handle === null) continue;
      chunk.isPaced = false;
      chunk.bare = 0;
      send(chunk, { starts: null });
    }
  }
}
