import type { Client, ScheduleOptions } from '@temporalio/client';
import { ScheduleAlreadyRunning } from '@temporalio/client';
import { SWEEP_TYPE } from '../contracts/agent-signal-scope.ts';
import { nightlyReviewContract } from '../contracts/nightly-review.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

const SWEEP_EVERY_MS = 30_000;

const ensure = async (client: Client, options: ScheduleOptions): Promise<void> => {
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
};

/** Makes the Schedule that looks for scopes whose wake-up was lost, once for a namespace and queue. */
export const ensureSweepSchedule = (client: Client, { taskQueue }: { readonly taskQueue: string }): Promise<void> =>
  ensure(client, {
    scheduleId: `agent-signal-sweep/${taskQueue}`,
    spec: { intervals: [{ every: SWEEP_EVERY_MS }] },
    action: {
      type: 'startWorkflow',
      workflowType: SWEEP_TYPE,
      workflowId: `agent-signal-sweep/${taskQueue}`,
      taskQueue,
      args: [],
      workflowTaskTimeout: TASK_TIMEOUT,
    },
    policies: { overlap: 'SKIP', catchupWindow: '1 minute' },
  });

/** Makes the Schedule of the nightly reviews: on the hour, since somewhere it is always night. */
export const ensureNightlySchedule = (client: Client, { taskQueue }: { readonly taskQueue: string }): Promise<void> =>
  ensure(client, {
    scheduleId: `agent-signal-nightly/${taskQueue}`,
    spec: { calendars: [{ minute: 0, hour: '*' }] },
    action: {
      type: 'startWorkflow',
      workflowType: nightlyReviewContract.type,
      workflowId: nightlyReviewContract.entity,
      taskQueue,
      args: [{}],
      workflowTaskTimeout: TASK_TIMEOUT,
    },
    policies: { overlap: 'SKIP', catchupWindow: '1 hour' },
  });
