import type { ItemCounts } from './counts.ts';
import type { Paced } from './entry-activities.ts';

export interface ItemRequest extends Paced {
  readonly run: string;
  readonly dryRun: false;
  readonly itemId: string;
  readonly timeoutMs: number;
}

export type StopReason = 'aborted' | 'threshold' | 'databaseUnavailable';

/** Receipt of one item, ≤ 512 bytes: no result, only its hash; `notStarted` means that the run no longer takes items. */
export interface ItemReceipt {
  readonly itemId: string;
  readonly outcome: 'done' | 'skipped' | 'notStarted';
  readonly resultHash?: string;
  readonly stop?: StopReason;
}

/** Details of an item's failure as thrown by the activity. */
export interface ItemFailureDetails {
  readonly itemId: string;
  readonly attempts: number;
  readonly stop?: StopReason;
}

export interface SliceRequest {
  readonly run: string;
  readonly dryRun: false;
  readonly itemIds: readonly string[];
  readonly concurrency: number;
  readonly itemTimeoutMs: number;
  /** Under a rate: the start times of the items in their order (server time, ms); items beyond them are not started. */
  readonly starts?: readonly number[];
}

/** Items of a slice that wait for their next attempt, and how long from now, ms. */
export interface SliceRetry {
  readonly itemId: string;
  readonly afterMs: number;
}

/** Answer of a slice: counters of ended items, the ids to schedule again, and why the run stops if it does. */
export interface SliceReceipt extends ItemCounts {
  readonly retry: readonly SliceRetry[];
  readonly notStarted: readonly string[];
  /** How long an item kept a lane, on average, ms; there if the slice had start times and items ended. */
  readonly laneMs?: number;
  readonly stop?: StopReason;
}
