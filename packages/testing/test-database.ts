import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import type { Database } from '../database/database.ts';
import { inTransaction } from '../database/database.ts';
import { createDatabase, createPool } from '../database/pool.ts';
import { insertRun } from '../database/scope-store.ts';
import { cloneDatabase, dropDatabase } from './databases.ts';

/** A migrated database of a test's own, without a Temporal queue. */
export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly db: Database;
  /** Errors of connections that the pool heard of. */
  readonly lost: readonly Error[];
  close(): Promise<void>;
}

/** Makes a database on the servers of the global set-up. */
export const createTestDatabase = async ({ poolSize = 5 }: { readonly poolSize?: number } = {}): Promise<TestDatabase> => {
  const servers = inject('strata');
  const name = `db_${randomBytes(6).toString('hex')}`;
  const url = await cloneDatabase(servers, name);
  const lost: Error[] = [];
  const pool = createPool({ databaseUrl: url, size: poolSize, applicationName: name, onError: (error) => lost.push(error) });
  return {
    url,
    pool,
    db: createDatabase(pool),
    lost,
    close: async () => {
      await pool.end();
      await dropDatabase(servers, name);
    },
  };
};

/** Opens a run of the probe over `scope` and answers its row id; a scope's second run needs the next `runNo`. */
export const openTestRun = async (
  db: Database,
  run: { readonly scope: string; readonly runNo?: number; readonly epoch?: number; readonly maxFailures?: number; readonly input?: unknown },
): Promise<string> => {
  const { scope, runNo = 1, epoch = 1, maxFailures = null, input = {} } = run;
  const owner = { workflowId: `probe/${scope}`, firstRunId: `first-${runNo}`, runId: `run-${runNo}` };
  const counts = { totalEligible: 0, toProcess: 0, alreadyProcessed: 0, deferred: 0, notEligible: 0 };
  const row = { pipeline: 'probe', scope, epoch, runNo, owner, requestId: 'r', input, upperBound: null, counts, maxFailures };
  return (await inTransaction(db, (tx) => insertRun(tx, row))).id;
};
