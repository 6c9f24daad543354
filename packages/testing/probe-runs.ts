import { sql } from '../database/drizzle.ts';
import { WorkflowFailedError } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { PipelineContract } from '../contracts/pipeline.ts';
import { probeContract } from '../contracts/probe.ts';
import type { RunProgress, RunResult } from '../contracts/run.ts';
import { readRows } from '../database/database.ts';
import { readProbeReport, seedProbe } from '../database/probe-store.ts';
import type { ProbeReport, ProbeSeed } from '../database/probe-store.ts';
import { findRunOfWorkflow } from '../database/run-store.ts';
import type { StoredRun } from '../database/run-store.ts';
import { createPipelineClient } from '../runtime/pipeline-client.ts';
import type { PipelineClient, StartAnswer } from '../runtime/pipeline-client.ts';
import { waitUntil } from '../runtime/wait-until.ts';
import type { Rig } from './rig.ts';

/** One item as the ledger knows it. */
interface LedgerItem {
  readonly itemId: string;
  readonly state: string;
  readonly attempts: number;
  readonly errorType: string | null;
  readonly error: string | null;
  readonly result: unknown;
}

/** What tests of the runner do with probe sets: the set's name is the scope of its runs. */
export interface ProbeRuns extends Pick<PipelineClient, 'control'> {
  seed(set: string, items: number, more?: Partial<ProbeSeed>): Promise<void>;
  start(input: { readonly set: string } & Record<string, unknown>): Promise<StartAnswer>;
  /** Starts a run and waits for its result. */
  run(input: { readonly set: string } & Record<string, unknown>): Promise<RunResult>;
  result(started: StartAnswer): Promise<RunResult>;
  /** Waits for a run that must fail, and hands out why. */
  failure(started: StartAnswer): Promise<ApplicationFailure>;
  handle(started: StartAnswer): WorkflowHandle;
  /** Waits until the run's own account says so. */
  progressed(started: StartAnswer, what: string, holds: (progress: RunProgress) => boolean): Promise<RunProgress>;
  ledger(set: string): Promise<readonly LedgerItem[]>;
  runRow(started: StartAnswer): Promise<StoredRun | undefined>;
  report(set: string): Promise<ProbeReport>;
}

const contract = probeContract as unknown as PipelineContract;

/** Makes the helpers over a rig. */
export const createProbeRuns = (rig: Rig): ProbeRuns => {
  const pipelines = createPipelineClient(rig);
  const handle = ({ workflowId, runId }: StartAnswer): WorkflowHandle =>
    rig.client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: runId });
  return {
    control: pipelines.control,
    handle,
    seed: (set, items, more) => seedProbe(rig.db, { set, items, sleepMs: 0, failEvery: null, failTimes: null, ...more }),
    start: (input) => pipelines.start(contract, input),
    run: async (input) => pipelines.result(await pipelines.start(contract, input)),
    result: (started) => pipelines.result(started),
    failure: async (started) => {
      const outcome: unknown = await pipelines.result(started).catch((error: unknown) => error);
      if (outcome instanceof WorkflowFailedError && outcome.cause instanceof ApplicationFailure) return outcome.cause;
      throw new Error(`the run did not fail: ${JSON.stringify(outcome)}`);
    },
    progressed: async (started, what, holds) => {
      let progress: RunProgress | undefined;
      await waitUntil({ what, timeoutMs: 30_000, probe: async () => holds((progress = await pipelines.progress(started.workflowId))) });
      return progress as RunProgress;
    },
    ledger: (set) =>
      readRows<LedgerItem>(
        rig.db,
        sql`select i.item_id as "itemId", i.state, i.attempts, i.error_type as "errorType", i.error, i.result
            from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id where e.pipeline = 'probe' and e.scope = ${set} order by i.item_id`,
      ),
    runRow: ({ workflowId, runId }) => findRunOfWorkflow(rig.db, { workflowId, firstRunId: runId }),
    report: (set) => readProbeReport(rig.db, set),
  };
};
