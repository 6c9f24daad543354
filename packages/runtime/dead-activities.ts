import type { Client, DescribeWorkflowExecutionResponse } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';

// temporal.api.enums.v1.PendingActivityState
const STARTED = 2;
const CANCEL_REQUESTED = 3;
const PAUSE_REQUESTED = 5;
// grpc.status: the activity has ended meanwhile, or was not under way.
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

const RETRY_DELAY = { nanos: 1_000_000 };

/** Failure type that an activity's next attempt shows as its last failure after the worker process of the attempt before had died. */
export const WORKER_DIED = 'WorkerDied';

type PendingActivity = NonNullable<DescribeWorkflowExecutionResponse['pendingActivities']>[number];

/** An activity that a dead worker had under way: it is failed and retried, or, where its cancellation was requested, cancelled. */
export interface DeadActivity {
  readonly activityId: string;
  readonly worker: string;
  readonly verdict: 'fail' | 'cancel';
}

/** Which of a workflow's pending activities are under way on one of the dead workers; one that waits for its next attempt, or runs elsewhere by now, is not. */
export const findDeadActivities = (pending: readonly PendingActivity[], dead: ReadonlySet<string>): readonly DeadActivity[] =>
  pending.flatMap(({ activityId, lastWorkerIdentity: worker, state }): DeadActivity[] => {
    if (!activityId || !worker || !dead.has(worker)) return [];
    if (state === STARTED || state === PAUSE_REQUESTED) return [{ activityId, worker, verdict: 'fail' }];
    return state === CANCEL_REQUESTED ? [{ activityId, worker, verdict: 'cancel' }] : [];
  });

/** One run of a workflow. */
export interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** Answers for a dead worker: the activity is retried within a moment, or cancelled. False when it had ended meanwhile. */
export async function settleDeadActivity(client: Client, { workflowId, runId }: Execution, activity: DeadActivity): Promise<boolean> {
  const { workflowService: service, options } = client;
  const { activityId, worker, verdict } = activity;
  const named = { namespace: options.namespace, identity: options.identity, workflowId, runId, activityId };
  const info = { type: WORKER_DIED, nonRetryable: false, nextRetryDelay: RETRY_DELAY };
  try {
    if (verdict === 'cancel') await service.respondActivityTaskCanceledById(named);
    else
      await service.respondActivityTaskFailedById({
        ...named,
        failure: { message: `worker process ${worker} died`, source: 'strata', applicationFailureInfo: info },
      });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code === NOT_FOUND || error.code === FAILED_PRECONDITION)) return false;
    throw error;
  }
}
