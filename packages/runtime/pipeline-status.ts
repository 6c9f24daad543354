import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { pipelineContracts } from '../contracts/index.ts';
import { MESSAGES } from '../contracts/messages.ts';
import type { RunProgress } from '../contracts/run.ts';
import type { Database } from '../database/database.ts';
import { countItems, findRunOfWorkflow } from '../database/run-store.ts';
import type { StoredRun } from '../database/run-store.ts';
import { readQueueService } from './queue-pollers.ts';
import { awaitEnding } from './run-ending.ts';
import type { RunEnding } from './run-ending.ts';
import { RunFault } from './run-fault.ts';
import { blankStatus, statusOfEnding, statusOfRow } from './run-status.ts';
import type { RunChain, RunStatus } from './run-status.ts';

const QUERY_WITHIN_MS = 3_000;
/** Start and first task, and a message or two: what a run's history holds before a worker has answered. */
const UNTOUCHED_EVENTS = 4;

const PIPELINE_ATTRIBUTE = defineSearchAttributeKey('StrataPipeline', SearchAttributeType.KEYWORD);

/** Where a status comes from. */
export interface StatusDeps {
  readonly client: Client;
  readonly db: Database;
}

/** Reads how the newest run of a workflow id is doing; without a history the run row tells. A RunFault (exit 3) where neither knows it. */
export async function readStatus(deps: StatusDeps, workflowId: string): Promise<RunStatus> {
  const description = await describeRun(deps.client, workflowId);
  if (description !== undefined) return statusOfDescription(deps, description);
  const row = await findRunOfWorkflow(deps.db, { workflowId });
  if (row === undefined) throw unknownRun(workflowId);
  return rowStatus(deps, row);
}

/** Status of the execution that was described, open or closed. */
export async function statusOfDescription(deps: StatusDeps, description: WorkflowExecutionDescription): Promise<RunStatus> {
  const chain = chainOf(description);
  if (description.status.name === 'RUNNING' || description.status.name === 'PAUSED') return openStatus(deps, description);
  return endedStatus(deps, chain, await awaitEnding(deps.client, description));
}

/** Status of a chain that ended as given. */
export async function endedStatus(deps: StatusDeps, chain: RunChain, ending: RunEnding): Promise<RunStatus> {
  const row = ending.kind === 'completed' ? undefined : await findRunOfWorkflow(deps.db, { workflowId: chain.workflowId, firstRunId: chain.runId });
  return statusOfEnding(chain, ending, row && (await rowStatus(deps, row)));
}

/** Describes the newest execution of a workflow id that is a pipeline's run; undefined where Temporal knows none. */
async function describeRun(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const description = await client.workflow.getHandle(workflowId).describe();
    if (!pipelineContracts.some(({ type }) => type === description.type))
      throw new RunFault('unknown', `${workflowId} is no run of a pipeline (${description.type})`);
    return description;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** First run id of the chain that a description belongs to. */
export function firstRunIdOf({ raw, runId }: WorkflowExecutionDescription): string {
  return raw.workflowExecutionInfo?.firstRunId || runId;
}

/** The fault of naming a run that neither Temporal nor the ledger knows. */
export function unknownRun(workflowId: string): RunFault {
  return new RunFault('unknown', `no run ${workflowId}: see \`strata list\``);
}

function chainOf(description: WorkflowExecutionDescription): RunChain {
  return { workflowId: description.workflowId, runId: firstRunIdOf(description), pipeline: description.type };
}

async function openStatus(deps: StatusDeps, description: WorkflowExecutionDescription): Promise<RunStatus> {
  const chain = chainOf(description);
  const isFirstRun = description.runId === chain.runId;
  const isUntouched =
    isFirstRun && description.historyLength <= UNTOUCHED_EVENTS && description.typedSearchAttributes.get(PIPELINE_ATTRIBUTE) === undefined;
  const progress = isUntouched ? undefined : await askProgress(deps.client, description.workflowId);
  if (progress !== undefined) return { ...blankStatus(chain, 'running'), ...progress };
  const service = await readQueueService(deps.client, deps.db, description.taskQueue);
  const silence = service.served ? {} : { noWorkerSince: service.since ?? description.startTime.toISOString() };
  const row = await findRunOfWorkflow(deps.db, { workflowId: chain.workflowId, firstRunId: chain.runId });
  if (row === undefined) return { ...blankStatus(chain, isUntouched ? 'queued' : 'running'), ...silence };
  return { ...(await rowStatus(deps, row)), ...silence };
}

/** The run's own account; undefined if no worker answers in time. */
async function askProgress(client: Client, workflowId: string): Promise<RunProgress | undefined> {
  try {
    return await client.withDeadline(Date.now() + QUERY_WITHIN_MS, () => client.workflow.getHandle(workflowId).query<RunProgress>(MESSAGES.progress));
  } catch {
    return undefined;
  }
}

async function rowStatus({ db }: StatusDeps, row: StoredRun): Promise<RunStatus> {
  const chain = { workflowId: row.workflowId, runId: row.firstRunId, pipeline: row.pipeline };
  return statusOfRow(chain, row, row.finishedAt === null ? await countItems(db, row.id) : undefined);
}
