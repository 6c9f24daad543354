import { sql } from '../../packages/database/drizzle.ts';
import type { SQL } from 'drizzle-orm';
import type { PreflightContext, ItemContext, ItemOutcome, PipelineDefinition } from '../../activities/runner/definition.ts';
import { probeFlow } from '../../activities/probe.ts';
import { createPipelineActivities } from '../../activities/runner/create.ts';
import type { StartInput } from '../../packages/contracts/fields.ts';
import { probeContract } from '../../packages/contracts/probe.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import type { RunPlan } from '../../packages/contracts/run-plan.ts';
import type { RunResult } from '../../packages/contracts/run.ts';
import type { KeysetSource } from '../../packages/database/eligible.ts';
import { readRows } from '../../packages/database/database.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { PipelineClient, StartAnswer } from '../../packages/runtime/pipeline-client.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { CreateRigInput, Rig } from '../../packages/testing/rig.ts';
import { markDone, readLedgerStates } from './ledger.ts';
import type { LedgerStates } from './ledger.ts';

type ProbeFields = (typeof probeContract)['fields'];

/** How the items of one scope are selected and what they do; a number stands for so many generated rows `i-000001`, …. */
export interface Trial {
  readonly items: number | KeysetSource;
  readonly plan?: Partial<RunPlan>;
  readonly preflight?: (context: PreflightContext<ProbeFields>) => Promise<void>;
  readonly execute?: (context: ItemContext<ProbeFields>) => Promise<ItemOutcome>;
}

/** A rig whose `probe` pipeline runs trials: what a scope's items are and do is declared by the test, every execution is noted. */
export interface TrialRig {
  readonly rig: Rig;
  readonly contract: PipelineContract;
  readonly pipelines: PipelineClient;
  declare(set: string, trial: Trial): void;
  /** Ids executed in the scope so far, in order of their start. */
  executed(set: string): readonly string[];
  /** Starts through the typed client and waits for the result. */
  run(set: string, input?: StartInput): Promise<RunResult>;
  start(set: string, input?: StartInput): Promise<StartAnswer>;
  /** Starts as a bare Temporal client does, under any workflow id. */
  startBare(workflowId: string, input: unknown): Promise<{ readonly workflowId: string; readonly runId: string; result(): Promise<RunResult> }>;
  /** Writes ledger rows as an earlier run of the epoch would have left them. */
  markDone(set: string, itemIds: readonly string[]): Promise<void>;
  ledger(set: string): Promise<LedgerStates>;
  query<Row>(statement: SQL): Promise<Row[]>;
}

const QUICK = { attempts: 5, firstWaitMs: 20, growth: 'exponential' } as const;

/** Id of the n-th generated item (1 = the first). */
export const itemName = (n: number): string => `i-${String(n).padStart(6, '0')}`;

export const itemNames = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, index) => itemName(from + index));

const generated = (items: number): KeysetSource => ({
  query: sql`select 'i-' || lpad(n::text, 6, '0') as item_id, n as sort_key from generate_series(1, ${items}::int) n`,
  sortType: 'integer',
});

const definitionOver = (trials: ReadonlyMap<string, Trial>, note: (set: string, itemId: string) => void): PipelineDefinition<ProbeFields> => {
  const find = (set: string): Trial => trials.get(set) ?? { items: 0 };
  return {
    preflight: async (context) => {
      const trial = find(context.input.set);
      await trial.preflight?.(context);
      const { pageSize, chunkSize, dispatch } = context.input;
      const asked = { ...(pageSize === undefined ? {} : { pageSize }), ...(chunkSize === undefined ? {} : { chunkSize }) };
      return { plan: { ...trial.plan, ...asked, ...(dispatch === undefined ? {} : { dispatch: dispatch as RunPlan['dispatch'] }) } };
    },
    flow: probeFlow,
    eligible: ({ set }) => {
      const { items } = find(set);
      return typeof items === 'number' ? generated(items) : items;
    },
    executeItem: async (context) => {
      note(context.input.set, context.itemId);
      return (await find(context.input.set).execute?.(context)) ?? { kind: 'done' };
    },
  };
};

/** Makes a trial rig; the contract's retry waits are short unless the variant says otherwise. */
export async function createTrialRig(variant: Partial<PipelineContract> = {}, input: CreateRigInput = {}): Promise<TrialRig> {
  const contract = { ...probeContract, retry: QUICK, ...variant } as typeof probeContract;
  const trials = new Map<string, Trial>();
  const notes = new Map<string, string[]>();
  const log = (set: string): string[] => {
    const ids = notes.get(set) ?? [];
    notes.set(set, ids);
    return ids;
  };
  const rig = await createRig({
    ...input,
    activities: (deps) =>
      createPipelineActivities<ProbeFields>(
        contract,
        definitionOver(trials, (set, itemId) => void log(set).push(itemId)),
        deps,
      ),
  });
  const pipelines = createPipelineClient(rig);
  const plain = contract as unknown as PipelineContract;
  return {
    rig,
    contract: plain,
    pipelines,
    declare: (set, trial) => void trials.set(set, trial),
    executed: (set) => log(set),
    start: (set, more = {}) => pipelines.start(plain, { set, ...more }),
    run: async (set, more = {}) => pipelines.result(await pipelines.start(plain, { set, ...more })),
    startBare: async (workflowId, argument) => {
      const handle = await rig.client.workflow.start('probe', {
        workflowId,
        taskQueue: rig.taskQueue,
        args: [argument],
        workflowTaskTimeout: '3 seconds',
      });
      return { workflowId, runId: handle.firstExecutionRunId, result: () => handle.result() as Promise<RunResult> };
    },
    markDone: (set, itemIds) => markDone(rig.db, set, itemIds),
    ledger: (set) => readLedgerStates(rig.db, set),
    query: (statement) => readRows(rig.db, statement),
  };
}
