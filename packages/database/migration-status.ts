import { readFile } from 'node:fs/promises';
import pg from 'pg';

/** How far a database has been migrated: `applied` of `known` migrations. */
export interface MigrationStatus {
  readonly applied: number;
  readonly known: number;
}

/** Compares the database with the migrations of this version; a database that was never migrated has 0 applied. */
export async function readMigrationStatus(databaseUrl: string): Promise<MigrationStatus> {
  const journal: unknown = JSON.parse(await readFile(new URL('./migrations/meta/_journal.json', import.meta.url), 'utf8'));
  const known = (journal as { entries: readonly unknown[] }).entries.length;
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ exists: boolean }>("select to_regclass('drizzle.__drizzle_migrations') is not null as exists");
    if (rows[0]?.exists !== true) return { applied: 0, known };
    const counted = await client.query<{ applied: number }>('select count(*)::int as applied from drizzle.__drizzle_migrations');
    return { applied: counted.rows[0]?.applied ?? 0, known };
  } finally {
    await client.end();
  }
}
