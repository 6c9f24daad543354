import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STRATA_QUEUE } from '../contracts/queues.ts';
import { bundleDirOf, bundleWorkflows } from './bundle.ts';
import { startProcess } from './child-process.ts';
import type { ManagedProcess } from './child-process.ts';
import { loadWorkerConfig } from './config.ts';
import type { ConnectedClient } from './connect.ts';
import { readDeployment } from './deployment.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';
import { REPOSITORY_ROOT } from './paths.ts';
import { listPollers } from './pollers.ts';
import type { StackBook } from './stack-book.ts';
import type { StackServers } from './stack-servers.ts';
import type { StartStackInput } from './stack.ts';
import { isTemporalGiven } from './stack-target.ts';
import { waitUntil } from './wait-until.ts';
import { ownAddresses } from './worker-addresses.ts';

const READY_WITHIN_MS = 90_000;
const GRACE_SECONDS = 4;
const KILL_AFTER_MS = 6_000;

/** What the workers of a stack are started from. */
export interface StartStackWorkersInput extends StartStackInput {
  readonly servers: StackServers;
  readonly book: StackBook;
  readonly connected: ConnectedClient;
}

/** Starts the workers of the current version, and one for each older version that still has runs; resolves when the current version takes work. */
export async function startStackWorkers(input: StartStackWorkersInput): Promise<void> {
  const { client } = input.connected;
  const bundleDir = bundleDirOf(input.dataDir);
  const { buildId, codePath } = await bundleWorkflows({ bundleDir });
  const env = await stackEnv(input);
  const add = (name: string, part: Pick<WorkerPartInput, 'bundle' | 'isCurrent'>, place: number): Promise<void> =>
    input.book.add(workerPart({ ...part, name, env: { ...env, ...ownAddresses(env, place) }, dataDir: input.dataDir }));
  for (const [index, old] of (await undrainedBundles(input, buildId)).entries()) {
    await add(`worker-${old.buildId}`, { bundle: old.codePath, isCurrent: false }, input.workers + index);
  }
  const names = Array.from({ length: input.workers }, (_, index) => `worker-${index + 1}`);
  for (const [index, name] of names.entries()) await add(name, { bundle: codePath, isCurrent: true }, index);
  const [queue = STRATA_QUEUE] = loadWorkerConfig(env).taskQueues;
  const isTakingWork = async (): Promise<boolean> => {
    if ((await readDeployment(client)).currentBuildId !== buildId) return false;
    const pollers = await listPollers(client, queue);
    return names.every((name) => pollers.some((identity) => identity.startsWith(`${input.book.pidOf(name)}@`)));
  };
  const logs = join(input.dataDir, 'logs');
  await waitUntil({
    what: `all workers taking work (their logs are in ${logs})`,
    timeoutMs: READY_WITHIN_MS,
    everyMs: 100,
    probe: isTakingWork,
    signal: input.signal,
  });
}

async function undrainedBundles(input: StartStackWorkersInput, currentBuildId: string): Promise<{ buildId: string; codePath: string }[]> {
  const { versions } = await readDeployment(input.connected.client);
  const bundles = versions
    .filter(({ buildId }) => buildId !== currentBuildId)
    .map((version) => ({ ...version, codePath: join(bundleDirOf(input.dataDir), `${version.buildId}.js`) }));
  for (const { isDrained, codePath } of bundles) if (isDrained) await rm(codePath, { force: true });
  const open = bundles.filter(({ isDrained }) => !isDrained);
  for (const { buildId, codePath } of open) {
    if (!existsSync(codePath)) input.say(`version ${buildId} may have open runs, but its bundle ${codePath} is gone: they wait`);
  }
  return open.filter(({ codePath }) => existsSync(codePath));
}

/** Environment of a stack's own processes: that of the stack, with the stack's own servers in place of whatever profile the user has. */
export async function stackEnv(input: Pick<StartStackWorkersInput, 'servers' | 'dataDir' | 'env'>): Promise<Env> {
  const { servers, dataDir } = input;
  const common = { DATABASE_URL: servers.databaseUrl, STRATA_DATA_DIR: dataDir, STRATA_SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS) };
  // The logs of an embedded stack are files that people read.
  const given = definedOnly(input.env);
  const preferred = { STRATA_LOG_FORMAT: given['STRATA_LOG_FORMAT'] ?? 'text', STRATA_AGENT_SIGNAL: given['STRATA_AGENT_SIGNAL'] ?? 'on' };
  if (isTemporalGiven(input.env)) return { ...input.env, ...preferred, ...common };
  const profile = join(dataDir, 'temporal.toml');
  await writeFile(profile, `[profile.default]\naddress = "${servers.temporal.address}"\nnamespace = "${servers.temporal.namespace}"\n`);
  const inherited = Object.fromEntries(Object.entries(input.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
  return { ...inherited, ...preferred, ...common, TEMPORAL_CONFIG_FILE: profile };
}

interface WorkerPartInput {
  readonly name: string;
  readonly env: Env;
  readonly bundle: string;
  readonly isCurrent: boolean;
  readonly dataDir: string;
}

function workerPart({ name, env, bundle, isCurrent, dataDir }: WorkerPartInput): Parameters<StackBook['add']>[0] {
  const script = join(REPOSITORY_ROOT, 'scripts/strata.ts');
  const start = async (): Promise<{ process: ManagedProcess; stop(): Promise<void> }> => {
    const started = await startProcess({
      command: process.execPath,
      args: [script, 'worker'],
      logFile: join(dataDir, 'logs', `${name}.log`),
      cwd: REPOSITORY_ROOT,
      env: { ...env, STRATA_WORKFLOW_BUNDLE: bundle, STRATA_SET_CURRENT: String(isCurrent) },
    });
    return { process: started, stop: () => started.stop({ signal: 'SIGTERM', graceMs: KILL_AFTER_MS }) };
  };
  return { name, words: [script, 'worker'], start };
}
