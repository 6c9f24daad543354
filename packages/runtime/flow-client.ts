import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { FlowStatus, LimiterStart } from '../contracts/flow-activities.ts';
import { LIMITER_TYPE } from '../contracts/flow-control.ts';
import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import type { FlowTell } from '../contracts/flow-messages.ts';
import { limiterWorkflowId } from '../contracts/ids.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

/** Sends a message to the limiter of its key; where none runs, one is started on the task queue. */
export async function tellLimiter(client: Client, message: FlowTell, taskQueue: string): Promise<void> {
  const { key, limit } = message;
  const start: LimiterStart = { v: 1, key, limit };
  await client.workflow.signalWithStart(LIMITER_TYPE, {
    workflowId: limiterWorkflowId(key),
    taskQueue,
    args: [start],
    signal: FLOW_MESSAGES.tell,
    signalArgs: [message],
    workflowTaskTimeout: TASK_TIMEOUT,
    memo: { key },
    staticSummary: `limits of ${key}`.slice(0, 200),
  });
}

/** What the limiter of a key says of itself; null where none runs. */
export async function readLimiter(client: Client, key: string): Promise<FlowStatus | null> {
  const handle = client.workflow.getHandle(limiterWorkflowId(key));
  try {
    const { status } = await handle.describe();
    return status.name === 'RUNNING' ? await handle.query<FlowStatus>(FLOW_MESSAGES.status) : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Makes a running limiter read its stored setting again; false where none runs. */
export async function refreshLimiter(client: Client, key: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(limiterWorkflowId(key)).signal(FLOW_MESSAGES.refresh);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
