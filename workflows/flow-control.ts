import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { runLimiter } from '../packages/durable/limiter.ts';

/** The limiter of one key; it moves to the version that is current, since it must never wait for a worker that is gone. */
export const flowControl = runLimiter;

// The server refuses a versioning behaviour from a worker that takes part in no deployment; such a one has a build id and no deployment's name.
const isVersioned = (): boolean => (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';

setWorkflowOptions(() => (isVersioned() ? { versioningBehavior: 'AUTO_UPGRADE' } : {}), flowControl);
