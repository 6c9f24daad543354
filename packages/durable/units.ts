import { computeByteLength } from '../contracts/digest.ts';
import type { RunPlan } from '../contracts/run-plan.ts';

/** One thing that the parent starts: an item of its own, a slice activity, or a chunk child. */
export interface Unit {
  readonly kind: 'item' | 'slice' | 'chunk';
  readonly page: number;
  readonly chunk: number;
  readonly itemIds: readonly string[];
  /** Ids that were scheduled before: not counted a second time. */
  readonly isRepeat?: true;
}

/** Ids of one unit as JSON stay below 64 KiB with the rest of a chunk's input. */
const UNIT_BYTES = 60 * 1024;
const QUOTES_AND_COMMA = 3;

const cutIds = (itemIds: readonly string[], chunkSize: number): readonly (readonly string[])[] => {
  const groups: string[][] = [];
  let bytes = 0;
  for (const itemId of itemIds) {
    const size = computeByteLength(itemId) + QUOTES_AND_COMMA;
    const group = groups.at(-1);
    if (group === undefined || group.length >= chunkSize || bytes + size > UNIT_BYTES) {
      groups.push([itemId]);
      bytes = size;
    } else {
      group.push(itemId);
      bytes += size;
    }
  }
  return groups;
};

/**
 * Cuts a page into units. `item` dispatch: a page of at most one chunk goes straight to items, a larger one becomes chunk children;
 * `slice` dispatch: every chunk is one activity of the parent. Order is kept, nothing is lost, no unit is empty; a unit has at most
 * `chunkSize` ids and 60 KiB of them.
 */
export const cutPage = (
  { dispatch, chunkSize }: Pick<RunPlan, 'dispatch' | 'chunkSize'>,
  page: number,
  itemIds: readonly string[],
): readonly Unit[] => {
  if (dispatch === 'item' && itemIds.length <= chunkSize)
    return itemIds.map((itemId, index) => ({ kind: 'item', page, chunk: index + 1, itemIds: [itemId] }));
  const kind = dispatch === 'item' ? 'chunk' : 'slice';
  return cutIds(itemIds, chunkSize).map((ids, index) => ({ kind, page, chunk: index + 1, itemIds: ids }));
};

/** With fewer lanes a unit's own cost, and for a chunk a workflow task an item, outweighs what an even share gains. */
const LEAST_LANES = 4;

/**
 * How many of the free item slots a starting unit gets: an even share among the units that could start beside it, at least `least` where so many are
 * free, never more than it has items.
 */
export const dealSlots = ({
  free,
  contenders,
  items,
  least = LEAST_LANES,
}: {
  readonly free: number;
  readonly contenders: number;
  readonly items: number;
  readonly least?: number;
}): number => Math.min(items, free, Math.max(least, Math.ceil(free / Math.max(1, contenders))));
