import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '../database/migrate.ts';
import { resolveBinary } from '../runtime/binaries.ts';
import { TEMPORAL_CLI } from '../runtime/binary-catalog.ts';
import { bundleWorkflows } from '../runtime/bundle.ts';
import { BINARY_CACHE } from '../runtime/paths.ts';
import { ensureDatabase, startPostgres } from '../runtime/postgres.ts';
import { registerSearchAttributes } from '../runtime/search-attributes.ts';
import { TEST_SERVER_SETTINGS } from '../runtime/server-settings.ts';
import { embeddedTarget } from '../runtime/stack-target.ts';
import { startTemporalServer } from '../runtime/temporal-server.ts';
import { connectClient } from '../runtime/connect.ts';
import { createNamespace } from './namespace.ts';
import type { TestServers } from './provided.ts';

const TEMPLATE = 'strata_template';

/** Starts one Postgres and one in-memory Temporal server for all test files, and bundles the workflows once. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'strata-test-'));
  await chmod(home, 0o755); // the user postgres must get in
  const stops: (() => Promise<void>)[] = [() => removeHome(home)];
  const teardown = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  // Whoever ends the test run early must not leave servers behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void teardown().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143)));
  try {
    project.provide('strata', await startServers(project, home, stops));
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

async function startServers(project: TestProject, home: string, stops: (() => Promise<void>)[]): Promise<TestServers> {
  const temporalBinary = (await resolveBinary({ entry: TEMPORAL_CLI, env: process.env, cacheDir: BINARY_CACHE, say: console.error })).path;
  const [port, uiPort, postgresPort] = [await getPort(), await getPort(), await getPort()];
  const [temporal, postgres, bundle] = await allOrNone([
    startTemporalServer({ binary: temporalBinary, port, uiPort, logDir: join(home, 'logs'), settings: TEST_SERVER_SETTINGS }).then(
      registerStop(stops),
    ),
    startPostgres({ dataDir: home, port: postgresPort, durable: false }).then(registerStop(stops)),
    bundleWorkflows({ bundleDir: join(home, 'bundles') }),
  ]);
  await ensureDatabase(postgres, TEMPLATE);
  await migrateDatabase(postgres.databaseUrl(TEMPLATE));
  const connected = await connectClient(embeddedTarget(temporal.address));
  await registerSearchAttributes(connected.connection, 'default');
  await connected.close();
  const more = Array.from({ length: project.config.maxWorkers - 1 }, () => createNamespace(temporal.address));
  return {
    temporalAddress: temporal.address,
    temporalUiUrl: temporal.uiUrl ?? '',
    namespaces: ['default', ...(await Promise.all(more))],
    temporalBinary,
    postgresUrl: postgres.url,
    templateDatabase: TEMPLATE,
    bundlePath: bundle.codePath,
    buildId: bundle.buildId,
  };
}

/** The cluster may be a link to a folder elsewhere. */
async function removeHome(home: string): Promise<void> {
  const cluster = await realpath(join(home, 'postgres')).catch(() => home);
  await Promise.all([cluster, home].map((folder) => rm(folder, { recursive: true, force: true })));
}

/** Like Promise.all, but waits for the slower ones before it fails, so that what they start gets stopped. */
async function allOrNone<T extends readonly unknown[]>(starting: readonly [...{ [K in keyof T]: Promise<T[K]> }]): Promise<T> {
  await Promise.allSettled(starting);
  return Promise.all(starting) as unknown as Promise<T>;
}

function registerStop<T extends { stop(): Promise<void> }>(stops: (() => Promise<void>)[]): (running: T) => T {
  return (running) => {
    stops.push(() => running.stop());
    return running;
  };
}
