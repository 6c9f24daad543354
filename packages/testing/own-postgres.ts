import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { migrateDatabase } from '../database/migrate.ts';
import { ensureDatabase, startPostgres } from '../runtime/postgres.ts';
import type { TestServers } from './provided.ts';

/** A Postgres of one test's own, on one port over all its restarts. */
export interface OwnPostgres extends Pick<TestServers, 'postgresUrl' | 'templateDatabase'> {
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its data. */
  remove(): Promise<void>;
}

const TEMPLATE = 'own_template';

/** Starts one with a migrated template; hand it to `createRig`. */
export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'strata-own-'));
  await chmod(dataDir, 0o755); // the user postgres must get in
  const input = { dataDir, port: await getPort(), durable: false };
  let running = await startPostgres(input);
  await ensureDatabase(running, TEMPLATE);
  await migrateDatabase(running.databaseUrl(TEMPLATE));
  return {
    postgresUrl: running.url,
    templateDatabase: TEMPLATE,
    stop: () => running.stop(),
    start: async () => void (running = await startPostgres(input)),
    remove: async () => {
      await running.stop();
      const cluster = await realpath(join(dataDir, 'postgres')).catch(() => dataDir);
      await Promise.all([cluster, dataDir].map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
};
