import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrateDatabase } from '../../packages/database/migrate.ts';
import { readMigrationStatus } from '../../packages/database/migration-status.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';

const run = promisify(execFile);
const name = `empty_${process.pid}`;
let databaseUrl = '';

async function asAdministrator(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('strata').postgresUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

beforeEach(async () => {
  await asAdministrator(`create database ${name}`);
  databaseUrl = Object.assign(new URL(inject('strata').postgresUrl), { pathname: `/${name}` }).href;
});
afterEach(() => asAdministrator(`drop database ${name} with (force)`));

test('ten processes that start at once on an empty database all succeed, and migrate it once', async () => {
  const module = join(REPOSITORY_ROOT, 'packages/database/migrate.ts');
  const script = `const { migrateDatabase } = await import(${JSON.stringify(module)}); await migrateDatabase(process.argv[1]);`;
  const processes = Array.from({ length: 10 }, () => run(process.execPath, ['--input-type=module', '-e', script, databaseUrl]));
  await expect(Promise.all(processes)).resolves.toHaveLength(10);
  const { applied, known } = await readMigrationStatus(databaseUrl);
  expect(known).toBeGreaterThan(0);
  expect(applied).toBe(known);
}, 120_000);

test('a database that was never migrated says so, and a second migration changes nothing', async () => {
  expect((await readMigrationStatus(databaseUrl)).applied).toBe(0);
  await migrateDatabase(databaseUrl);
  const first = await readMigrationStatus(databaseUrl);
  await migrateDatabase(databaseUrl);
  expect(await readMigrationStatus(databaseUrl)).toEqual(first);
});

test('the migrations are those that drizzle-kit would generate from the schema', async () => {
  const out = await mkdtemp(join(REPOSITORY_ROOT, '.strata/migrations-'));
  try {
    await cp(join(REPOSITORY_ROOT, 'packages/database/migrations'), out, { recursive: true });
    const before = await readdir(out);
    const kit = join(REPOSITORY_ROOT, 'node_modules/drizzle-kit/bin.cjs');
    const words = [
      'generate',
      '--dialect',
      'postgresql',
      '--schema',
      './packages/database/schema/index.ts',
      '--out',
      out.slice(REPOSITORY_ROOT.length + 1),
    ];
    await run(process.execPath, [kit, ...words], { cwd: REPOSITORY_ROOT });
    const added = (await readdir(out)).filter((file) => !before.includes(file));
    const texts = await Promise.all(added.map((file) => readFile(join(out, file), 'utf8')));
    expect(texts, 'run `npm run db:generate`').toEqual([]);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}, 120_000);
