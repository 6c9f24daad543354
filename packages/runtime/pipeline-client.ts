import type { Client } from '@temporalio/client';
import type { StartInput } from '../contracts/fields.ts';
import { pipelineContracts } from '../contracts/index.ts';
import { MESSAGES } from '../contracts/messages.ts';
import type { PipelineContract } from '../contracts/pipeline.ts';
import type { RunProgress, RunResult } from '../contracts/run.ts';
import type { Database } from '../database/database.ts';
import { countFailedItems, readFailedItems } from '../database/failures.ts';
import type { FailedItem } from '../database/failures.ts';
import { findRunOfWorkflow } from '../database/run-store.ts';
import type { StoredRun } from '../database/run-store.ts';
import { sendControl } from './pipeline-control.ts';
import type { ControlOutcome, ControlVerb } from './pipeline-control.ts';
import { awaitEntry, watchRun } from './pipeline-follow.ts';
import type { WatchOptions } from './pipeline-follow.ts';
import { listRuns } from './pipeline-list.ts';
import type { ListFilter } from './pipeline-list.ts';
import { startRun } from './pipeline-start.ts';
import type { StartAnswer } from './pipeline-start.ts';
import { readStatus, unknownRun } from './pipeline-status.ts';
import type { RunStatus } from './run-status.ts';

export type { StartAnswer } from './pipeline-start.ts';

/** What the facade stands on: one Temporal namespace, one queue, one database. */
export interface PipelineClientInput {
  readonly client: Client;
  readonly taskQueue: string;
  readonly db: Database;
}

/** The items that are failed now in a run's scope and epoch, in the order of their ids; `next` is the last id of a page that others follow. */
export interface FailurePage {
  readonly workflowId: string;
  readonly failed: number;
  readonly items: readonly FailedItem[];
  readonly next: string | null;
}

/** What a redrive starts: the ended run's pipeline and own fields, without its controls. */
export interface Redrive {
  readonly contract: PipelineContract;
  readonly input: StartInput;
}

/** Typed door to the pipelines of one Temporal namespace and task queue. A run is named by its workflow id; an unknown one is a RunFault (exit 3). */
export interface PipelineClient {
  /** Starts a run, or joins the active one of the same request; throws UserError (exit 2) for bad input, RunFault (exit 2) for another active run. */
  start(contract: PipelineContract, input: StartInput): Promise<StartAnswer>;
  /** Waits until the entry of a started run is over: counted, ended or refused; at most 10 s. */
  entry(contract: PipelineContract, answer: StartAnswer): Promise<RunStatus>;
  /** Watches a started run to its end, however it ends; throws UserError (exit 3) if it stays queued without a worker. */
  watch(contract: PipelineContract, answer: StartAnswer, options: WatchOptions): Promise<RunStatus>;
  /** The run's own account of how it is doing; needs a worker. */
  progress(workflowId: string): Promise<RunProgress>;
  /** How the newest run of the workflow id is doing or how it ended, from the worker, Temporal or the run row, whoever knows. */
  status(workflowId: string): Promise<RunStatus>;
  list(filter: ListFilter): Promise<readonly RunStatus[]>;
  /** Waits for the result; a failed, cancelled or terminated run rejects with the SDK's `WorkflowFailedError`. */
  result(answer: Pick<StartAnswer, 'workflowId' | 'runId'>): Promise<RunResult>;
  /** Pauses, resumes or aborts; an abort stands even where no worker answers, and an ended run is a RunFault (exit 2). */
  control(verb: ControlVerb, workflowId: string, reason?: string): Promise<ControlOutcome>;
  failures(workflowId: string, page: { readonly after: string | null; readonly limit: number }): Promise<FailurePage>;
  /** Describes the start that executes exactly the failed items again; pass it to `start`. */
  redrive(workflowId: string): Promise<Redrive>;
}

/** Creates the typed client of all pipelines. */
export const createPipelineClient = (deps: PipelineClientInput): PipelineClient => {
  const { client, db } = deps;
  const requireRow = async (workflowId: string): Promise<StoredRun> => {
    const row = await findRunOfWorkflow(db, { workflowId });
    if (row === undefined) throw unknownRun(workflowId);
    return row;
  };
  return {
    start: (contract, input) => startRun(deps, contract, input),
    entry: ({ type }, answer) => awaitEntry(deps, { ...answer, type }),
    watch: ({ type }, answer, options) => watchRun(deps, { ...answer, type }, options),
    progress: (workflowId) => client.workflow.getHandle(workflowId).query<RunProgress>(MESSAGES.progress),
    status: (workflowId) => readStatus(deps, workflowId),
    list: (filter) => listRuns(deps, filter),
    result: ({ workflowId, runId }) =>
      client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: runId }).result() as Promise<RunResult>,
    control: (verb, workflowId, reason) => sendControl(deps, { verb, workflowId, reason }),
    failures: async (workflowId, { after, limit }) => {
      const { epochId } = await requireRow(workflowId);
      const [failed, found] = await Promise.all([countFailedItems(db, epochId), readFailedItems(db, { epochId, after, limit: limit + 1 })]);
      const items = found.slice(0, limit);
      return { workflowId, failed, items, next: found.length > limit ? (items.at(-1)?.itemId ?? null) : null };
    },
    redrive: async (workflowId) => {
      const row = await requireRow(workflowId);
      const contract = pipelineContracts.find(({ type }) => type === row.pipeline);
      if (contract === undefined) throw unknownRun(workflowId);
      const own = Object.entries(row.input as StartInput).filter(([name]) => Object.hasOwn(contract.fields, name));
      return { contract, input: { ...Object.fromEntries(own), redriveOf: workflowId } };
    },
  };
};
