import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Database } from '../packages/database/database.ts';
import { migrateDatabase } from '../packages/database/migrate.ts';
import { createDatabase, createPool } from '../packages/database/pool.ts';
import { resolveBinary } from '../packages/runtime/binaries.ts';
import { TEMPORAL_CLI } from '../packages/runtime/binary-catalog.ts';
import { bundleWorkflows } from '../packages/runtime/bundle.ts';
import { connectClient } from '../packages/runtime/connect.ts';
import { BINARY_CACHE, REPOSITORY_ROOT } from '../packages/runtime/paths.ts';
import { createPipelineClient } from '../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../packages/runtime/pipeline-client.ts';
import { ensureDatabase, startPostgres } from '../packages/runtime/postgres.ts';
import { registerSearchAttributes } from '../packages/runtime/search-attributes.ts';
import { SERVER_SETTINGS } from '../packages/runtime/server-settings.ts';
import { embeddedTarget } from '../packages/runtime/stack-target.ts';
import { startTemporalServer } from '../packages/runtime/temporal-server.ts';
import { createWorkerSpawner } from './spawner.ts';
import type { WorkerSpawner } from './spawner.ts';

const POOL_SIZE = 20;
const BENCH_QUEUE = 'strata-bench';

/** Servers of the benchmark's own: Postgres as in production, Temporal in memory, a client, and worker processes on demand. */
export interface BenchStack extends Omit<WorkerSpawner, 'killAll'> {
  readonly client: Client;
  /** Queue of the workers. */
  readonly queue: string;
  readonly pipelines: PipelineClient;
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly serverPids: { readonly temporal: number; readonly postgres: number };
  /** Kills the workers, stops the servers, removes their data. */
  stop(): Promise<void>;
}

interface StartInput {
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
}

type Ends = (() => Promise<unknown>)[];

/** Starts everything below a temporary folder; `stop` ends all of it and removes the folder. */
export const startBenchStack = async (input: StartInput): Promise<BenchStack> => {
  const home = await mkdtemp(join(tmpdir(), 'strata-bench-'));
  await chmod(home, 0o755); // the user postgres must get in
  const ends: Ends = [() => removeHome(home)];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end().catch((error: unknown) => input.say(`could not stop everything: ${String(error)}`));
  };
  try {
    return { ...(await startParts(input, home, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const startServers = async ({ say, signal }: StartInput, home: string, ends: Ends) => {
  say('starting Postgres and Temporal');
  const { path: binary } = await resolveBinary({ entry: TEMPORAL_CLI, env: process.env, cacheDir: BINARY_CACHE, say });
  const temporal = await startTemporalServer({ binary, port: await getPort(), logDir: join(home, 'logs'), settings: SERVER_SETTINGS });
  ends.push(() => temporal.stop());
  signal.throwIfAborted();
  const postgres = await startPostgres({ dataDir: home, port: await getPort(), durable: true });
  ends.push(() => postgres.stop());
  signal.throwIfAborted();
  await ensureDatabase(postgres, 'bench');
  const databaseUrl = postgres.databaseUrl('bench');
  await migrateDatabase(databaseUrl);
  return { temporalAddress: temporal.address, databaseUrl, serverPids: { temporal: temporal.process.pid, postgres: postgres.process.pid } };
};

const startParts = async (input: StartInput, home: string, ends: Ends) => {
  const { temporalAddress, databaseUrl, serverPids } = await startServers(input, home, ends);
  const bundleDir = join(home, 'bundles');
  const [bundle, floorBundle] = await Promise.all([
    bundleWorkflows({ bundleDir }),
    bundleWorkflows({ bundleDir, workflowsPath: join(REPOSITORY_ROOT, 'bench/floor/index.ts') }),
  ]);
  input.signal.throwIfAborted();
  const { client, connection, close } = await connectClient(embeddedTarget(temporalAddress));
  ends.push(close);
  await registerSearchAttributes(connection, 'default');
  const pool = createPool({ databaseUrl, size: POOL_SIZE, applicationName: 'strata-bench', onError: () => undefined });
  ends.push(() => pool.end());
  const db = createDatabase(pool);
  const { killAll, ...spawner } = createWorkerSpawner({
    temporalAddress,
    databaseUrl,
    home,
    queue: BENCH_QUEUE,
    bundlePath: bundle.codePath,
    floorBundlePath: floorBundle.codePath,
  });
  ends.push(killAll);
  return { client, queue: BENCH_QUEUE, pool, db, serverPids, pipelines: createPipelineClient({ client, taskQueue: BENCH_QUEUE, db }), ...spawner };
};

/** The cluster may be a link to a folder elsewhere. */
const removeHome = async (home: string): Promise<void> => {
  const cluster = await realpath(join(home, 'postgres')).catch(() => home);
  await Promise.all([cluster, home].map((folder) => rm(folder, { recursive: true, force: true })));
};
