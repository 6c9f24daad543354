import type { Client } from '@temporalio/client';

const WORKFLOW_TASKS = 1; // temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
const FRESH_MS = 90_000; // a long poll lasts 60 s

/** Identities of the Workers that poll a queue for workflow tasks; those that have not been heard of for 90 s are left out. */
export async function listPollers(client: Client, taskQueue: string): Promise<readonly string[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_TASKS,
  });
  return (pollers ?? [])
    .filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > Date.now() - FRESH_MS)
    .map(({ identity }) => identity ?? '');
}
