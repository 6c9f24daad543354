import type { Client } from '@temporalio/client';
import type { Executor } from '../database/database.ts';
import { readLiveWorkers } from '../database/live-workers.ts';

const TASK_QUEUE_TYPE_WORKFLOW = 1;

/** Whether a queue is served: `since` is when the last of its workers asked for work, null where none was ever seen (or not for minutes). */
export type QueueService = { readonly served: true } | { readonly served: false; readonly since: string | null };

/** Asks who polls a queue. A poller whose lease in Postgres ran out is dead, though Temporal lists it for five more minutes. */
export async function readQueueService(client: Client, executor: Executor, taskQueue: string): Promise<QueueService> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  const seen = pollers ?? [];
  const live = await readLiveWorkers(
    executor,
    seen.map(({ identity }) => identity ?? ''),
  );
  if (seen.some(({ identity }) => live.has(identity ?? ''))) return { served: true };
  const last = Math.max(...seen.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0)));
  return { served: false, since: last > 0 ? new Date(last * 1_000).toISOString() : null };
}
