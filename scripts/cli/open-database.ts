import { migrateDatabase } from '../../packages/database/migrate.ts';
import type { Database } from '../../packages/database/database.ts';
import { createDatabase, createPool } from '../../packages/database/pool.ts';
import { definedOnly } from '../../packages/runtime/env.ts';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { findStack } from '../../packages/runtime/stack-target.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';

/** Runs work on the stack's database (`DATABASE_URL`, else that of the stack on the data folder), migrated first; a UserError (exit 3) where there is none. */
export async function withDatabase<T>(data: string | undefined, work: (db: Database) => Promise<T>): Promise<T> {
  const env = definedOnly(process.env);
  const dataDir = resolveDataDir(data ?? env['STRATA_DATA_DIR']);
  const databaseUrl = env['DATABASE_URL'] ?? (await findStack(dataDir))?.databaseUrl;
  if (databaseUrl === undefined) {
    throw new UserError(`no stack runs on ${dataDir}: start one with \`strata up\`, or set DATABASE_URL`, EXIT.unreachable);
  }
  await migrateDatabase(databaseUrl);
  const pool = createPool({ databaseUrl, size: 2, applicationName: 'strata-cli', onError: () => undefined });
  try {
    return await work(createDatabase(pool));
  } finally {
    await pool.end();
  }
}
