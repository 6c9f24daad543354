import { drizzle } from './drizzle.ts';
import pg from 'pg';
import type { Database } from './database.ts';
import * as schema from './schema/index.ts';

/** Settings of a pool. `onError` hears of a dropped idle connection, which would otherwise end the process. */
export interface CreatePoolInput {
  readonly databaseUrl: string;
  readonly size: number;
  readonly applicationName: string;
  readonly onError: (error: Error) => void;
}

/** Creates a pool whose sessions speak UTC and whose waits are all bounded below the shortest activity time-out. */
export function createPool(input: CreatePoolInput): pg.Pool {
  const pool = new pg.Pool({
    connectionString: input.databaseUrl,
    max: input.size,
    application_name: input.applicationName,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    options: '-c TimeZone=UTC',
  });
  pool.on('error', input.onError);
  // A client in use has left the pool's own listener behind: lost between two statements of a transaction, it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Creates the database handle over a pool. */
export function createDatabase(pool: pg.Pool): Database {
  return drizzle({ client: pool, schema });
}
