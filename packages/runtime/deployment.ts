import type { Client } from '@temporalio/client';
import { STRATA_DEPLOYMENT } from '../contracts/queues.ts';
import { waitUntil } from './wait-until.ts';

const POLLERS_WITHIN_MS = 60_000;
const DRAINED = 5; // temporal.api.enums.v1.WorkerDeploymentVersionStatus.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED
const NOT_FOUND = 5; // gRPC

/** State of the Worker Deployment `strata`. */
export interface DeploymentState {
  readonly currentBuildId: string | undefined;
  /** Every version the server knows, by build id. */
  readonly versions: readonly { readonly buildId: string; readonly isDrained: boolean }[];
}

/** Reads the deployment; an unknown one has no versions. */
export async function readDeployment(client: Client): Promise<DeploymentState> {
  const { namespace } = client.options;
  try {
    const { workerDeploymentInfo: info } = await client.workflowService.describeWorkerDeployment({ namespace, deploymentName: STRATA_DEPLOYMENT });
    const versions = (info?.versionSummaries ?? []).map(({ deploymentVersion, status }) => ({
      buildId: deploymentVersion?.buildId ?? '',
      isDrained: status === DRAINED,
    }));
    return { currentBuildId: info?.routingConfig?.currentDeploymentVersion?.buildId || undefined, versions };
  } catch (error) {
    if ((error as { code?: number }).code === NOT_FOUND) return { currentBuildId: undefined, versions: [] };
    throw error;
  }
}

/** Which version is to become current, and when. */
export interface MakeCurrentInput {
  readonly client: Client;
  readonly buildId: string;
  /** False: only where the deployment has no current version. */
  readonly isForced: boolean;
  readonly signal?: AbortSignal;
}

/** Makes a version current once its pollers are known to the server; resolves to whether it is current now. */
export async function makeCurrent({ client, buildId, isForced, signal }: MakeCurrentInput): Promise<boolean> {
  const isKnown = async (): Promise<boolean> => (await readDeployment(client)).versions.some((version) => version.buildId === buildId);
  await waitUntil({ what: `version ${buildId} polling`, timeoutMs: POLLERS_WITHIN_MS, everyMs: 200, probe: isKnown, ...(signal && { signal }) });
  const { currentBuildId } = await readDeployment(client);
  if (currentBuildId === buildId) return true;
  if (currentBuildId !== undefined && !isForced) return false;
  const { namespace, identity } = client.options;
  await client.workflowService.setWorkerDeploymentCurrentVersion({ namespace, deploymentName: STRATA_DEPLOYMENT, buildId, identity });
  return true;
}
