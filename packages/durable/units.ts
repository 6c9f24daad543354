import type { RunPlan } from '../contracts/pipeline.ts';

/** One thing that the parent starts: an item of its own, a slice activity, or a chunk child. */
export interface Unit {
  readonly kind: 'item' | 'slice' | 'chunk';
  readonly page: number;
  readonly chunk: number;
  readonly itemIds: readonly string[];
  /** Ids that were scheduled before: not counted a second time. */
  readonly isRepeat?: true;
}

/**
 * Cuts a page into units. `item` dispatch: a page of at most one chunk goes straight to items, a larger one becomes chunk children;
 * `slice` dispatch: every chunk is one activity of the parent. Order is kept, nothing is lost, no unit is empty.
 */
export const cutPage = ({ dispatch, chunkSize }: Pick<RunPlan, 'dispatch' | 'chunkSize'>, page: number, itemIds: readonly string[]): readonly Unit[] => {
  if (dispatch === 'item' && itemIds.length <= chunkSize) return itemIds.map((itemId, index) => ({ kind: 'item', page, chunk: index + 1, itemIds: [itemId] }));
  const kind = dispatch === 'item' ? 'chunk' : 'slice';
  const count = Math.ceil(itemIds.length / chunkSize);
  return Array.from({ length: count }, (_, index) => ({ kind, page, chunk: index + 1, itemIds: itemIds.slice(index * chunkSize, (index + 1) * chunkSize) }));
};

/**
 * How many of the free item slots a starting unit gets: an even share among the units that could start beside it, at least one,
 * never more than it has items.
 */
export const dealSlots = ({ free, contenders, items }: { readonly free: number; readonly contenders: number; readonly items: number }): number =>
  Math.min(items, Math.max(1, Math.ceil(free / Math.max(1, contenders))));
