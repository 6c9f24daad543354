import type { Outcome } from './run.ts';
import type { ItemCounts, WorkCounts } from './counts.ts';
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
