import type { EntryCounts, ItemCounts, WorkCounts } from './counts.ts';
/** How a run ended when its workflow completed. */
export type Outcome = 'completed' | 'completedWithFailures' | 'aborted' | 'nothingToDo' | 'dryRun';

/** What a run row or a status says of a run, ended or not. */
export type RunState = Outcome | 'queued' | 'running' | 'paused' | 'aborting' | 'failed' | 'canceled' | 'terminated';

/** Result of a run's workflow; counts of the entry are absent when it was aborted before counting. */
export interface RunResult extends Partial<EntryCounts>, ItemCounts, WorkCounts {
  readonly success: boolean;
  readonly outcome: Outcome;
  readonly message: string;
  readonly epoch: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly remaining: number;
  readonly dryRun?: true;
  readonly cancelled?: true;
  readonly failedItems?: string;
}

/** Answer of the `progress` query: the result's fields so far and how the run is doing; `requestId` is null until the input is parsed. */
export interface RunProgress extends Partial<EntryCounts>, ItemCounts, WorkCounts {
  readonly workflowId: string;
  readonly state: RunState;
  readonly requestId: string | null;
  readonly epoch: number | null;
  readonly remaining: number | null;
  readonly inFlight: number;
  readonly ratePerSecond: number | null;
  readonly etaSeconds: number | null;
  readonly asOf: string | null;
  readonly startedAt: string | null;
}
