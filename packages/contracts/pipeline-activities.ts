import type { FailureThreshold } from './fields.ts';
import type { RunPlan } from './pipeline.ts';
import type { EntryCounts, ItemCounts, Outcome, WorkCounts } from './run.ts';

/** Who asks: the workflow chain that owns the run. */
export interface RunOwner {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly runId: string;
}

export interface EntryRequest {
  readonly args: readonly unknown[];
  readonly owner: RunOwner;
}

/** What preflight tells the workflow; the input itself stays in the run row. */
export interface Preflighted {
  readonly requestId: string;
  readonly scope: string;
  readonly dryRun: boolean;
  readonly redrive: boolean;
  readonly maxItems: number | null;
  readonly failureThreshold: FailureThreshold | null;
  readonly tenant: string | null;
  readonly plan: RunPlan;
}

/** The opened run: `id` is its row in `pipeline_runs` (decimal text). */
export interface OpenedRun {
  readonly id: string;
  readonly epoch: number;
}

/** The entry's answer: `run` is null when nothing was written (dry run, nothing to do). */
export interface Counted {
  readonly counts: EntryCounts;
  readonly epoch: number;
  readonly startedAt: string;
  readonly run: OpenedRun | null;
  readonly ended: { readonly outcome: Outcome; readonly message: string; readonly finishedAt: string } | null;
}

export interface ListRequest {
  readonly run: string;
  readonly dryRun: false;
  readonly cursor: string | null;
  readonly pageSize: number;
}

/** One listing: `pages` walked (wholly processed ones are passed over), open ids of the last one, opaque cursor of the next page or null at the end. */
export interface ListedPage {
  readonly ids: readonly string[];
  readonly pages: number;
  readonly skippedItems: number;
  readonly nextCursor: string | null;
}

export interface ItemRequest {
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
  readonly stop?: StopReason;
}

/** Counts of the run's items in the ledger at `asOf` (ISO text of the database clock). */
export interface LedgerCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly inFlight: number;
  readonly asOf: string;
}

export interface ProgressRequest {
  readonly run: string;
}

export interface FinalizeRequest extends WorkCounts {
  readonly run: string;
  readonly ended: 'drained' | 'aborted' | 'canceled' | 'threshold' | 'databaseUnavailable' | 'failed';
  readonly counted: ItemCounts;
}

/** The run's final numbers, recounted from the ledger. */
export interface Finalized extends ItemCounts {
  readonly outcome: Outcome | 'failed' | 'canceled';
  readonly message: string;
  readonly finishedAt: string;
}

/** Activities behind every pipeline, registered as `<type>.<verb>`. */
export interface PipelineActivities {
  preflight(request: EntryRequest): Promise<Preflighted>;
  countEligible(request: EntryRequest): Promise<Counted>;
  listPage(request: ListRequest): Promise<ListedPage>;
  executeItem(request: ItemRequest): Promise<ItemReceipt>;
  executeSlice(request: SliceRequest): Promise<SliceReceipt>;
  readProgress(request: ProgressRequest): Promise<LedgerCounts>;
  finalize(request: FinalizeRequest): Promise<Finalized>;
}
