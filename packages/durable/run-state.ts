import type { CarriedRun } from './carried-run.ts';
import type { Counted, OpenedRun, Preflighted } from '../contracts/entry-activities.ts';
import type { EntryCounts, ItemCounts, WorkCounts } from '../contracts/counts.ts';
import type { ControlAnswer } from '../contracts/messages.ts';
import type { RunState } from '../contracts/run.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import type { FlowKeys } from '../contracts/flow-limits.ts';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { CarriedFlow } from './flow.ts';

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
  flow: FlowKeys;
  /** Gates as the run before left them. */
  readonly gates: CarriedFlow;
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

const UNLIMITED: FlowKeys = { process: null, paginate: null, execute: null };

/** Memory of a run that begins, or goes on from what its predecessor carried over. */
export const createRunMemory = (carried: CarriedRun | null): RunMemory => ({
  requestId: carried?.requestId ?? null,
  scope: carried?.scope ?? null,
  tenant: carried?.tenant ?? null,
  plan: carried?.plan ?? null,
  flow: carried?.flow ?? UNLIMITED,
  gates: carried?.gates ?? {},
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
  memory.flow = preflighted.flow;
};

export const rememberCount = (memory: RunMemory, counted: Counted): void => {
  memory.counts = counted.counts;
  // A run hands out no more than it counted: what appears meanwhile belongs to the next one.
  memory.left = counted.counts.toProcess;
  memory.epoch = counted.epoch;
  memory.startedAt = counted.startedAt;
  memory.run = counted.run;
};

/** Answer to a control message in the given memory. */
export const answerControl = (memory: RunMemory, accepted: boolean): ControlAnswer => ({ accepted, state: memory.control });
