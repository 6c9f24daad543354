import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Rig } from './rig.ts';
import { startStrata } from './strata-process.ts';
import type { StrataEnv, StrataProcess } from './strata-process.ts';

/** Environment in which `strata` commands work on a rig. */
export function rigEnv(rig: Rig): StrataEnv {
  return {
    STRATA_FLOW_PREFIX: `${rig.taskQueue}/`,
    DATABASE_URL: rig.databaseUrl,
    TEMPORAL_ADDRESS: rig.servers.temporalAddress,
    TEMPORAL_NAMESPACE: rig.namespace,
    TEMPORAL_CONFIG_FILE: join(tmpdir(), 'no-profile.toml'),
  };
}

/**
 * Starts a worker process of its own on the rig's queue, for tests that kill it; resolves when it takes work. It is versioned, unlike the rig's own
 * Workers: make the rig with `workers: 0`, because a queue serves either kind.
 */
export async function startWorkerProcess(rig: Rig, env: StrataEnv = {}): Promise<StrataProcess> {
  const worker = startStrata(['worker', '--json', '--queues', rig.taskQueue], {
    ...rigEnv(rig),
    STRATA_WORKFLOW_BUNDLE: rig.servers.bundlePath,
    ...env,
  });
  await worker.firstDocument();
  return worker;
}
