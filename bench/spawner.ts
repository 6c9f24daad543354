import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../packages/runtime/paths.ts';
import { startBenchProcess } from './processes.ts';
import type { StartingProcess } from './processes.ts';

/** Settings of a worker that Strata has by default, for the floor's. */
const DEFAULTS = { activitySlots: 40, workflowSlots: 40, cachedWorkflows: 300 };
const FLOOR_QUEUE = 'floor-bench';

/** Where workers find their servers and bundles. */
export interface WorkerSpawnerInput {
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly home: string;
  readonly queue: string;
  readonly bundlePath: string;
  readonly floorBundlePath: string;
}

/** Starts worker processes and knows those that live. */
export interface WorkerSpawner {
  readonly floorQueue: string;
  /** A `strata worker` process, as a deployment runs it. */
  spawnWorker(): StartingProcess;
  /** A worker of raw SDK code with the same settings. */
  spawnFloorWorker(): StartingProcess;
  /** Kills every one of them and waits for their ends; none can be started any more. */
  killAll(): Promise<void>;
}

/** Creates the starter of the benchmark's worker processes. */
export const createWorkerSpawner = (input: WorkerSpawnerInput): WorkerSpawner => {
  const { temporalAddress, databaseUrl, home, queue } = input;
  const started = new Set<StartingProcess>();
  let isOver = false;
  const start = (words: readonly string[], env: Readonly<Record<string, string>>): StartingProcess => {
    if (isOver) throw new Error('the benchmark is over');
    const child = startBenchProcess(words, env);
    started.add(child);
    void child.exited.then(() => started.delete(child));
    return child;
  };
  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_CONFIG_FILE: join(home, 'no-profile.toml'),
    STRATA_WORKFLOW_BUNDLE: input.bundlePath,
    STRATA_DATA_DIR: home,
    STRATA_LOG_LEVEL: 'ERROR',
  };
  const floorConfig = { address: temporalAddress, taskQueue: FLOOR_QUEUE, bundlePath: input.floorBundlePath, databaseUrl, ...DEFAULTS };
  return {
    floorQueue: FLOOR_QUEUE,
    spawnWorker: () => start([join(REPOSITORY_ROOT, 'scripts/strata.ts'), 'worker', '--json', '--queues', queue], env),
    spawnFloorWorker: () => start([join(REPOSITORY_ROOT, 'bench/floor-worker.ts'), JSON.stringify(floorConfig)], {}),
    killAll: async () => {
      isOver = true;
      const living = [...started];
      for (const child of living) child.kill('SIGKILL');
      await Promise.all(living.map(({ exited }) => exited));
    },
  };
};
