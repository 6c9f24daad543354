import type { ItemCounts } from '../contracts/counts.ts';

/** Sum of two counts, field by field. */
export const addItemCounts = (left: ItemCounts, right: ItemCounts): ItemCounts => ({
  succeeded: left.succeeded + right.succeeded,
  failed: left.failed + right.failed,
  skipped: left.skipped + right.skipped,
  interrupted: left.interrupted + right.interrupted,
});

/** Per counter the greater of two lower bounds of the same truth: receipts so far and the last reading of the ledger. */
export const maxItemCounts = (left: ItemCounts, right: Partial<ItemCounts>): ItemCounts => ({
  succeeded: Math.max(left.succeeded, right.succeeded ?? 0),
  failed: Math.max(left.failed, right.failed ?? 0),
  skipped: Math.max(left.skipped, right.skipped ?? 0),
  interrupted: Math.max(left.interrupted, right.interrupted ?? 0),
});
