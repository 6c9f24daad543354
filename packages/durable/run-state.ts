import type { FailureThreshold } from '../contracts/fields.ts';
import type { Counted, OpenedRun, Preflighted } from '../contracts/pipeline-activities.ts';
import type { ControlAnswer, EntryCounts, ItemCounts, RunState, WorkCounts } from '../contracts/run.ts';
import { NO_ITEMS } from '../contracts/run.ts';
import type { RunPlan } from '../contracts/pipeline.ts';

/** What continue-as-new hands to the next run of the chain: cursor, counters and flags, ≤ 16 kB. */
export interface CarriedRun {
  readonly carried: 'continueAsNew';
  readonly run: OpenedRun;
  readonly requestId: string;
  readonly scope: string;
  readonly tenant: string | null;
  readonly plan: RunPlan;
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

/** Last reading of the ledger, and the rate since the reading before, items per second. */
export interface LedgerReading {
  readonly items: ItemCounts;
  readonly inFlight: number;
  readonly asOf: string;
  readonly ratePerSecond: number | null;
}

/** Everything a run knows while it is open; the story mutates it, queries read it. */
export interface RunMemory {
  requestId: string | null;
  scope: string | null;
  tenant: string | null;
  plan: RunPlan | null;
  failureThreshold: FailureThreshold | null;
  run: OpenedRun | null;
  epoch: number | null;
  counts: EntryCounts | null;
  startedAt: string | null;
  cursor: string | null;
  left: number | null;
  work: WorkCounts;
  items: ItemCounts;
  reading: LedgerReading | null;
  control: 'running' | 'paused' | 'aborting';
  ended: RunState | null;
}

/** Memory of a run that begins, or goes on from what its predecessor carried over. */
export const createRunMemory = (carried: CarriedRun | null): RunMemory => ({
  requestId: carried?.requestId ?? null,
  scope: carried?.scope ?? null,
  tenant: carried?.tenant ?? null,
  plan: carried?.plan ?? null,
  failureThreshold: null,
  run: carried?.run ?? null,
  epoch: carried?.run.epoch ?? null,
  counts: carried?.counts ?? null,
  startedAt: carried?.startedAt ?? null,
  cursor: carried?.cursor ?? null,
  left: carried?.left ?? null,
  work: carried?.work ?? { pages: 0, chunks: 0, direct: 0 },
  items: carried?.items ?? NO_ITEMS,
  reading: null,
  control: carried?.paused === true ? 'paused' : 'running',
  ended: null,
});

export const rememberPreflight = (memory: RunMemory, preflighted: Preflighted): void => {
  memory.requestId = preflighted.requestId;
  memory.scope = preflighted.scope;
  memory.tenant = preflighted.tenant;
  memory.plan = preflighted.plan;
  memory.left = preflighted.maxItems;
};

export const rememberCount = (memory: RunMemory, counted: Counted): void => {
  memory.counts = counted.counts;
  memory.epoch = counted.epoch;
  memory.startedAt = counted.startedAt;
  memory.run = counted.run;
};

/** What the next run of the chain needs; throws when called before the run was opened. */
export const carryOver = (memory: RunMemory): CarriedRun => {
  const { run, requestId, scope, plan, counts, startedAt } = memory;
  if (run === null || requestId === null || scope === null || plan === null || counts === null || startedAt === null)
    throw new TypeError('a run that was not opened carries nothing over');
  const { cursor, left, work, items, tenant } = memory;
  return { carried: 'continueAsNew', run, requestId, scope, tenant, plan, counts, startedAt, cursor, left, work, items, paused: memory.control === 'paused', dryRun: false };
};

/** Answer to a control message in the given memory. */
export const answerControl = (memory: RunMemory, accepted: boolean): ControlAnswer => ({ accepted, state: memory.control });
