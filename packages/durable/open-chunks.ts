import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import type { ChunkDeal, ChunkNeed } from '../contracts/flow-messages.ts';
import type { Gate } from '../flow-control/gate.ts';
import type { ChunkHandle } from './unit-runner.ts';
import type { Unit } from './units.ts';

type Place = Pick<Unit, 'page' | 'chunk'>;

interface OpenChunk {
  handle: ChunkHandle | null;
  /** Lanes that it holds, and those that it was told to come down to. */
  lanes: number;
  target: number;
  /** Start times that it could use now. */
  need: number;
}

const nameOf = ({ page, chunk }: Place): string => `${page}/${chunk}`;

const deal = (chunk: OpenChunk, given: ChunkDeal): void => {
  // A child that closes meanwhile cannot be signalled any more, and its lanes come back with its end.
  chunk.handle?.signal(FLOW_MESSAGES.deal, given).catch(() => undefined);
};

/** The chunk children of a run and what each was dealt. They never talk to a limiter: lanes and start times come from their parent. */
export class OpenChunks {
  readonly #chunks = new Map<string, OpenChunk>();

  open(place: Place, lanes: number): void {
    this.#chunks.set(nameOf(place), { handle: null, lanes, target: lanes, need: 0 });
  }

  started(place: Place, handle: ChunkHandle): void {
    const chunk = this.#chunks.get(nameOf(place));
    if (chunk !== undefined) chunk.handle = handle;
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
    chunk.lanes -= given;
    chunk.need = starts;
    return given;
  }

  /** Hands start times to the chunks that wait for them, oldest first. */
  dealStarts(gate: Gate, nowMs: number): void {
    for (const chunk of this.#chunks.values()) {
      const count = Math.min(chunk.need, gate.startable(nowMs));
      if (count === 0 || chunk.handle === null || !gate.isPaced()) continue;
      chunk.need -= count;
      deal(chunk, { starts: gate.take(0, count) });
    }
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
    for (const chunk of lowered) deal(chunk, { lanes: chunk.target });
  }

  /** Start times that chunks wait for. */
  needs(): number {
    return [...this.#chunks.values()].reduce((sum, { need }) => sum + need, 0);
  }
}
