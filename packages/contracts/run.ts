/** How a run ended when its workflow completed. */
export type Outcome = 'completed' | 'completedWithFailures' | 'aborted' | 'nothingToDo' | 'dryRun';

/** What a run row or a status says of a run, ended or not. */
export type RunState = Outcome | 'queued' | 'running' | 'paused' | 'aborting' | 'failed' | 'canceled' | 'terminated';

/** Numbers of the entry's count; `totalEligible = toProcess + alreadyProcessed + deferred`. */
export interface EntryCounts {
  readonly totalEligible: number;
  readonly toProcess: number;
  readonly alreadyProcessed: number;
  readonly deferred: number;
  readonly notEligible: number;
}

/** Items by how they ended; `interrupted` were stopped by an abort, neither failed nor done. */
export interface ItemCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly interrupted: number;
}

/** Work handed out so far: pages begun, chunks started as children, items or slices that the parent scheduled itself. */
export interface WorkCounts {
  readonly pages: number;
  readonly chunks: number;
  readonly direct: number;
}

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

export interface ControlRequest {
  readonly reason?: string;
}

export interface ControlAnswer {
  readonly accepted: boolean;
  readonly state: 'running' | 'paused' | 'aborting' | 'terminated';
}

export const NO_ITEMS: ItemCounts = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0 };
