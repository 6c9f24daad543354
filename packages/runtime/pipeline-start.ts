import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { canonicalJson, computeDigest } from '../contracts/digest.ts';
import type { StartInput } from '../contracts/fields.ts';
import { MESSAGES } from '../contracts/messages.ts';
import type { PipelineContract } from '../contracts/pipeline.ts';
import type { RunProgress } from '../contracts/run.ts';
import { firstRunIdOf } from './pipeline-status.ts';
import { RunFault } from './run-fault.ts';
import { describeStart, requireStartInput } from './start-input.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

const ASK_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 100;

/** Answer to a start: a new run, or the active run of the same request; `runId` is the first of its chain. */
export interface StartAnswer {
  readonly workflowId: string;
  readonly runId: string;
  readonly joined: boolean;
}

/** Where runs are started. */
export interface StartDeps {
  readonly client: Client;
  readonly taskQueue: string;
}

/** Starts a run, or joins the active one of the same request; a UserError (exit 2) for bad input, a RunFault (exit 2) for another active run. */
export async function startRun({ client, taskQueue }: StartDeps, contract: PipelineContract, input: StartInput): Promise<StartAnswer> {
  const { requestId: given, ...rest } = requireStartInput(contract, input);
  const { workflowId, ...shown } = describeStart(contract, input);
  try {
    const handle = await client.workflow.start(contract.type, {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      workflowTaskTimeout: TASK_TIMEOUT,
      ...shown,
    });
    return { workflowId, runId: handle.firstExecutionRunId, joined: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return joinRun(client, workflowId, given ?? computeDigest(canonicalJson(rest)));
  }
}

async function joinRun(client: Client, workflowId: string, requestId: string): Promise<StartAnswer> {
  const handle = client.workflow.getHandle(workflowId);
  const running = await askRequestId(client, handle);
  if (running === null)
    throw new RunFault('conflict', `${workflowId} is already running, and no worker tells with which request: see \`strata status ${workflowId}\``);
  if (running !== requestId)
    throw new RunFault('conflict', `${workflowId} is already running with another request: wait for it, or \`strata abort ${workflowId}\``);
  return { workflowId, runId: firstRunIdOf(await handle.describe()), joined: true };
}

/** The request of a running workflow, asked until its input is parsed; null if nobody answers within 10 s. */
async function askRequestId(client: Client, handle: WorkflowHandle): Promise<string | null> {
  for (const until = Date.now() + ASK_WITHIN_MS; Date.now() < until; await delay(ASK_EVERY_MS)) {
    const progress = await client.withDeadline(until, () => handle.query<RunProgress>(MESSAGES.progress)).catch(() => undefined);
    if (typeof progress?.requestId === 'string') return progress.requestId;
  }
  return null;
}
