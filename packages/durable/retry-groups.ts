import type { SliceRetry } from '../contracts/item-activities.ts';

/** Items that wait about equally long, and how long, ms. */
export interface RetryGroup {
  readonly itemIds: readonly string[];
  readonly afterMs: number;
}

const SPREAD = 1.25;

/** Groups items whose waits differ by at most a quarter, each group waiting for its last, so that a few timers serve many items. */
export const groupRetries = (retries: readonly SliceRetry[]): readonly RetryGroup[] => {
  const groups: { itemIds: string[]; afterMs: number; firstMs: number }[] = [];
  for (const { itemId, afterMs } of [...retries].sort((left, right) => left.afterMs - right.afterMs)) {
    const group = groups.at(-1);
    if (group === undefined || afterMs > group.firstMs * SPREAD) groups.push({ itemIds: [itemId], afterMs, firstMs: afterMs });
    else {
      group.itemIds.push(itemId);
      group.afterMs = afterMs;
    }
  }
  return groups.map(({ itemIds, afterMs }) => ({ itemIds, afterMs }));
};
