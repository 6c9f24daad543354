import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '../runtime/wait-until.ts';
import type { Rig } from './rig.ts';
import type { varyProbe } from './stage.ts';

/** What a worker process of a test is told. */
export interface StageProcessConfig {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly bundlePath: string;
  readonly databaseUrl: string;
  readonly providerUrl: string;
  /** Asked before a run is counted. */
  readonly preflightUrl?: string;
  readonly contract: Pick<Parameters<typeof varyProbe>[0], 'plan' | 'retry' | 'outageWaitsMs'>;
}

/** A worker process of its own, for tests that freeze or kill it. */
export interface StageProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<NodeJS.Signals | number | null>;
}

/** Starts a worker process on the rig's queue whose items call the given provider; make the rig with `workers: 0`. Resolves when it takes work. */
export const startStageProcess = async (
  rig: Rig,
  input: Pick<StageProcessConfig, 'providerUrl' | 'contract' | 'preflightUrl'>,
): Promise<StageProcess> => {
  const config: StageProcessConfig = {
    address: rig.servers.temporalAddress,
    namespace: rig.namespace,
    taskQueue: rig.taskQueue,
    bundlePath: rig.servers.bundlePath,
    databaseUrl: rig.databaseUrl,
    ...input,
  };
  const script = fileURLToPath(new URL('stage-worker.ts', import.meta.url));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|STRATA_|DATABASE_URL|VITEST|NODE_OPTIONS)/.test(name)));
  const child = spawn(process.execPath, [script, JSON.stringify(config)], {
    env: { ...env, TEMPORAL_CONFIG_FILE: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<NodeJS.Signals | number | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  await waitUntil({
    what: 'a worker process taking work',
    timeoutMs: 120_000,
    probe: async () => stdout.includes('ready') || child.exitCode !== null,
  });
  if (child.exitCode !== null) throw new Error(`the worker process ended with ${child.exitCode}: ${stderr}`);
  return { pid: child.pid ?? 0, exited, kill: (signal) => void child.kill(signal) };
};
