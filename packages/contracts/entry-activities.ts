import type { FlowKeys } from './flow-limits.ts';
import type { RunPlan } from './run-plan.ts';
import type { Outcome } from './run.ts';
import type { EntryCounts } from './counts.ts';
/** A start that a limiter paced: nothing is done before (server time, ms). */
export interface Paced {
  readonly notBefore?: number;
}

/** Who asks: the workflow chain that owns the run. */
export interface RunOwner {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly runId: string;
}

export interface EntryRequest extends Paced {
  readonly args: readonly unknown[];
  readonly owner: RunOwner;
}

/** What preflight tells the workflow; the input itself stays in the run row. */
export interface Preflighted {
  readonly requestId: string;
  readonly scope: string;
  readonly dryRun: boolean;
  readonly redrive: boolean;
  readonly tenant: string | null;
  readonly plan: RunPlan;
  readonly flow: FlowKeys;
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
