import { fileURLToPath } from 'node:url';
import { drizzle } from './drizzle.ts';
import { migrate } from './drizzle.ts';
import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));
const LOCK_KEY = 8_317_420_115; // any constant that no other user of the database takes

/** Brings a database to the newest migration. Any number of processes may call it at once: they take turns, and all but the first find nothing to do. */
export async function migrateDatabase(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (guard) => {
    // Transaction-level, so that it also holds behind a transaction pooler; the migrator opens transactions of its own, hence the second session.
    await guard.query('begin');
    await guard.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await withClient(databaseUrl, (client) => migrate(drizzle({ client }), { migrationsFolder: MIGRATIONS }));
    await guard.query('commit');
  });
}

async function withClient(databaseUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'strata-migrate',
    options: '-c TimeZone=UTC -c client_min_messages=warning',
  });
  client.on('error', () => undefined); // the query in flight reports it
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
