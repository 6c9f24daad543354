import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { payloadConverterOption } from '../runtime/data-converter.ts';
import { traceSinks } from '../runtime/trace-propagation.ts';
import { waitUntil } from '../runtime/wait-until.ts';

/** Whose executions are replayed, and with which bundle. */
export interface ReplayQueueInput {
  readonly client: Client;
  readonly taskQueue: string;
  readonly bundlePath: string;
  readonly isReplayed: boolean;
}

/** Replays every execution of a queue against the code that runs now, then terminates the open ones. Throws with the ids of those that diverged. */
export async function replayQueue(input: ReplayQueueInput): Promise<void> {
  const query = `TaskQueue = '${input.taskQueue}'`;
  await settleVisibility(input.client, query);
  const diverged: string[] = [];
  if (input.isReplayed) {
    const replayOptions = { workflowBundle: { codePath: input.bundlePath }, dataConverter: payloadConverterOption(), sinks: traceSinks };
    const results = Worker.runReplayHistories(replayOptions, input.client.workflow.list({ query }).intoHistories());
    for await (const { workflowId, runId, error } of results) {
      if (error !== undefined) diverged.push(`${workflowId} (run ${runId}): ${error.message}`);
    }
  }
  await terminateOpen(input.client, query);
  if (diverged.length > 0) throw new Error(`replay diverged:\n${diverged.join('\n')}`);
}

async function terminateOpen(client: Client, query: string): Promise<void> {
  for await (const { workflowId } of client.workflow.list({ query: `${query} and ExecutionStatus = 'Running'` })) {
    // One that closed since it was listed needs no termination.
    await client.workflow
      .getHandle(workflowId)
      .terminate('the test ended')
      .catch(() => undefined);
  }
}

/** The list lags behind by some ms: two equal counts in a row are taken as caught up. */
async function settleVisibility(client: Client, query: string): Promise<void> {
  let last = -1;
  await waitUntil({
    what: 'a steady count of executions',
    timeoutMs: 10_000,
    probe: async () => {
      const { count } = await client.workflow.count(query);
      const isSteady = count === last;
      last = count;
      return isSteady;
    },
  });
}
