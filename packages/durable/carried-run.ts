import { ApplicationFailure } from '@temporalio/common';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { FlowKeys } from '../contracts/flow-limits.ts';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { CarriedFlow } from './flow.ts';
import type { RunMemory } from './run-state.ts';
import type { OpenedRun } from '../contracts/entry-activities.ts';
import type { EntryCounts, ItemCounts, WorkCounts } from '../contracts/counts.ts';
/** What continue-as-new hands to the next run of the chain: cursor, counters and flags, ≤ 16 kB. */
export interface CarriedRun {
  readonly carried: 'continueAsNew';
  readonly run: OpenedRun;
  readonly requestId: string;
  readonly scope: string;
  readonly tenant: string | null;
  readonly plan: RunPlan;
  readonly flow: FlowKeys;
  readonly gates: CarriedFlow;
  readonly counts: EntryCounts;
  readonly startedAt: string;
  readonly cursor: string | null;
  readonly left: number | null;
  readonly work: WorkCounts;
  readonly items: ItemCounts;
  readonly paused: boolean;
  readonly dryRun: false;
}

/** Tells what a run of ours carried over from a start's own argument (a cron or retried run is continued, too). */
export const isCarried = (value: unknown): value is CarriedRun =>
  typeof value === 'object' && value !== null && 'carried' in value && value.carried === 'continueAsNew';

/** What the next run of the chain needs; throws when called before the run was opened. */
export const carryOver = (memory: RunMemory, gates: CarriedFlow): CarriedRun => {
  const { run, requestId, scope, plan, counts, startedAt } = memory;
  if (run === null || requestId === null || scope === null || plan === null || counts === null || startedAt === null)
    throw ApplicationFailure.nonRetryable('a run that was not opened carries nothing over', RUN_FAILURES.internalError);
  const { cursor, left, work, items, tenant, flow } = memory;
  return {
    carried: 'continueAsNew',
    run,
    requestId,
    scope,
    tenant,
    plan,
    flow,
    gates,
    counts,
    startedAt,
    cursor,
    left,
    work,
    items,
    paused: memory.control === 'paused',
    dryRun: false,
  };
};
