import { STRATA_DEPLOYMENT } from '../../packages/contracts/queues.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import type { TemporalCli } from '../support/temporal-cli.ts';

/** Makes a version current as a deployment script does it: once the server knows the version's pollers. */
export const makeCurrent = (temporal: TemporalCli, buildId: string): Promise<void> => {
  const words = ['worker', 'deployment', 'set-current-version', '--deployment-name', STRATA_DEPLOYMENT, '--build-id', buildId, '--yes'];
  return waitUntil({
    what: `version ${buildId} current`,
    timeoutMs: 30_000,
    everyMs: 300,
    probe: async () => (await temporal(...words)) !== undefined,
  });
};
