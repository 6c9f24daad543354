import type { WorkflowExecutionInfo } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { pipelineContracts } from '../contracts/index.ts';
import type { RunState } from '../contracts/run.ts';
import { statusOfDescription } from './pipeline-status.ts';
import type { StatusDeps } from './pipeline-status.ts';
import type { RunStatus } from './run-status.ts';

const AT_ONCE = 8;

/** Which runs are wanted, newest first. */
export interface ListFilter {
  /** Workflow type; undefined: every pipeline. */
  readonly pipeline: string | undefined;
  readonly state: RunState | undefined;
  readonly limit: number;
}

/** Every state that a run can be listed by. */
export const RUN_STATES: readonly RunState[] = [
  'queued',
  'running',
  'paused',
  'aborting',
  'completed',
  'completedWithFailures',
  'aborted',
  'nothingToDo',
  'dryRun',
  'failed',
  'canceled',
  'terminated',
];

/** Lists runs by Temporal's visibility, each with its status; it lags behind by a moment, and ended runs leave it with their history. */
export async function listRuns(deps: StatusDeps, filter: ListFilter): Promise<readonly RunStatus[]> {
  const found: RunStatus[] = [];
  let batch: WorkflowExecutionInfo[] = [];
  const take = async (): Promise<void> => {
    const statuses = await Promise.all(batch.map((info) => statusOf(deps, info)));
    batch = [];
    found.push(
      ...(statuses.filter((status) => status !== undefined && (filter.state === undefined || status.state === filter.state)) as RunStatus[]),
    );
  };
  for await (const info of deps.client.workflow.list({ query: queryOf(filter), pageSize: 100 })) {
    if (batch.push(info) >= AT_ONCE) await take();
    if (found.length >= filter.limit) break;
  }
  await take();
  return found.slice(0, filter.limit);
}

async function statusOf(deps: StatusDeps, { workflowId, runId }: WorkflowExecutionInfo): Promise<RunStatus | undefined> {
  try {
    return await statusOfDescription(deps, await deps.client.workflow.getHandle(workflowId, runId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** A run that no worker has taken up has no search attributes yet, hence the type beside them. */
function queryOf({ pipeline, state }: ListFilter): string {
  const types = pipelineContracts.map(({ type }) => type).filter((type) => pipeline === undefined || type === pipeline);
  const named = types.map((type) => `'${type}'`).join(', ');
  const isRun = `((StrataPipeline in (${named}) and StrataLayer = 'process') or WorkflowType in (${named}))`;
  return `${isRun} and ${executionsIn(state)}`;
}

function executionsIn(state: RunState | undefined): string {
  switch (state) {
    case undefined:
      return `ExecutionStatus != 'ContinuedAsNew'`;
    case 'queued':
    case 'running':
    case 'paused':
    case 'aborting':
      return `ExecutionStatus = 'Running'`;
    case 'failed':
      return `ExecutionStatus in ('Failed', 'TimedOut')`;
    case 'canceled':
      return `ExecutionStatus = 'Canceled'`;
    case 'terminated':
      return `ExecutionStatus = 'Terminated'`;
    default:
      return `StrataOutcome = '${state}'`;
  }
}
