import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { STRATA_DEPLOYMENT } from '../packages/contracts/queues.ts';
import { payloadConverterOption } from '../packages/runtime/data-converter.ts';
import { activityInterceptors, traceSinks } from '../packages/runtime/trace-propagation.ts';

/** What differs between two Workers of Strata. */
export interface WorkerOptionsInput {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly identity: string;
  readonly bundlePath: string;
  readonly activities: object;
  /** Undefined: the Worker takes part in no deployment (tests only). */
  readonly buildId: string | undefined;
  readonly activitySlots: number;
  readonly workflowSlots: number;
  readonly cachedWorkflows: number;
  readonly shutdownGraceMs: number;
}

/** Options of every Worker in production and in tests. */
export function createWorkerOptions(input: WorkerOptionsInput): WorkerOptions {
  return {
    connection: input.connection,
    namespace: input.namespace,
    taskQueue: input.taskQueue,
    identity: input.identity,
    workflowBundle: { codePath: input.bundlePath },
    activities: input.activities,
    dataConverter: payloadConverterOption(),
    interceptors: { activity: [activityInterceptors] },
    sinks: traceSinks,
    maxConcurrentActivityTaskExecutions: input.activitySlots,
    maxConcurrentWorkflowTaskExecutions: input.workflowSlots,
    maxEagerActivityReservationsPerWorkflowTask: input.activitySlots,
    maxCachedWorkflows: input.cachedWorkflows,
    // Few pollers while idle (7 against 15 ms CPU a second), more under load.
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 2, maximum: 20 },
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 1, maximum: 20 },
    // What a killed worker had cached goes to others after that; shorter, and one that is merely busy would lose its cache (10 s by default).
    stickyQueueScheduleToStartTimeout: '2 seconds',
    // A cancellation is heard with the next heartbeat, and this bounds how rarely those are sent.
    maxHeartbeatThrottleInterval: '500 ms',
    shutdownGraceTime: input.shutdownGraceMs,
    shutdownForceTime: input.shutdownGraceMs + 1_000,
    ...deployment(input.buildId),
  };
}

function deployment(buildId: string | undefined): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (buildId === undefined) return {};
  const version = { deploymentName: STRATA_DEPLOYMENT, buildId };
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}
