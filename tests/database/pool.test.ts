import { sql } from '../../packages/database/drizzle.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction, readRow } from '../../packages/database/database.ts';
import { classifyDatabaseError } from '../../packages/database/errors.ts';
import { createTestDatabase } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

const POOL_SIZE = 5;

let base: TestDatabase;
let other: TestDatabase['pool'];

beforeEach(async () => {
  base = await createTestDatabase({ poolSize: POOL_SIZE });
  other = base.pool;
});

afterEach(() => base.close());

const backendOf = async (executor: Parameters<typeof readRow>[0]): Promise<number> =>
  (await readRow<{ pid: number }>(executor, sql`select pg_backend_pid() as pid`)).pid;

const terminateOthers = (): Promise<unknown> =>
  other.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()');

const counts = () => ({ idle: base.pool.idleCount, waiting: base.pool.waitingCount, busy: base.pool.totalCount - base.pool.idleCount });

const selectOne = (): Promise<{ one: number }> => inTransaction(base.db, (tx) => readRow<{ one: number }>(tx, sql`select 1 as one`));

describe('a pool', () => {
  test('D3: 50 transactions at once over 5 connections all end, and the counts are normal again', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, selectOne));
    expect(all).toHaveLength(50);
    expect(base.pool.totalCount).toBeLessThanOrEqual(POOL_SIZE);
    expect(counts()).toMatchObject({ waiting: 0, busy: 0 });
  });

  test('D3: after its idle connections were terminated, 10 transactions succeed and no client is missing', async () => {
    await Promise.all(Array.from({ length: POOL_SIZE }, selectOne));
    await terminateOthers();
    await waitUntil({ what: 'the pool hearing of its losses', timeoutMs: 5_000, probe: async () => base.lost.length >= POOL_SIZE - 1 });
    expect(await Promise.all(Array.from({ length: 10 }, selectOne))).toHaveLength(10);
    expect(counts()).toMatchObject({ waiting: 0, busy: 0 });
  });

  test('a transaction whose BEGIN fails gives its client back', async () => {
    for (let round = 0; round < POOL_SIZE * 2; round++) {
      const client = await base.pool.connect();
      client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      client.release();
      // The pool hands out the dying client; its BEGIN is the statement that finds out.
      await selectOne().catch((error: unknown) => expect(classifyDatabaseError(error)).toMatchObject({ unavailable: true }));
    }
    expect(await selectOne()).toEqual({ one: 1 });
    expect(counts()).toMatchObject({ waiting: 0, busy: 0 });
  });

  test('a connection lost between two statements of a transaction fails that transaction and nothing else', async () => {
    const lost = inTransaction(base.db, async (tx) => {
      const pid = await backendOf(tx);
      await other.query('select pg_terminate_backend($1)', [pid]);
      await waitUntil({
        what: 'the session being gone',
        timeoutMs: 5_000,
        probe: async () => (await other.query('select from pg_stat_activity where pid = $1', [pid])).rowCount === 0,
      });
      return readRow(tx, sql`select 1 as one`);
    });
    await expect(lost).rejects.toSatisfy((error) => classifyDatabaseError(error)?.unavailable === true);
    expect(await selectOne()).toEqual({ one: 1 });
    expect(counts()).toMatchObject({ waiting: 0, busy: 0 });
  });

  test('a transaction rejects with the error of its own work, and its writes are gone', async () => {
    await base.pool.query('create table notes (id int primary key)');
    const failing = inTransaction(base.db, async (tx) => {
      await tx.execute(sql`insert into notes values (1)`);
      throw new RangeError('not this time');
    });
    await expect(failing).rejects.toThrow(new RangeError('not this time'));
    expect((await base.pool.query('select from notes')).rowCount).toBe(0);
  });
});

describe('the limits of a session', () => {
  test('connect, statement, lock and idle-in-transaction time-outs are set, and time is UTC', async () => {
    const { rows } = await base.pool.query(
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle, current_setting('TimeZone') as zone",
    );
    expect(rows).toEqual([{ statement: '15s', lock: '5s', idle: '30s', zone: 'UTC' }]);
    expect(base.pool.options.connectionTimeoutMillis).toBe(5_000);
  });

  test('D3: a row locked elsewhere is an error within 5 s that may be retried', async () => {
    await base.pool.query('create table locked (id int primary key)');
    await base.pool.query('insert into locked values (1)');
    const holder = await base.pool.connect();
    await holder.query('begin');
    await holder.query('select from locked for update');
    const startedAt = performance.now();
    const error: unknown = await base.db.execute(sql`update locked set id = 1`).catch((caught: unknown) => caught);
    const waitedMs = performance.now() - startedAt;
    await holder.query('rollback');
    holder.release();
    expect(classifyDatabaseError(error)).toEqual({ sqlState: '55P03', constraint: null, unavailable: false, transient: true });
    expect(waitedMs).toBeGreaterThan(4_900);
    expect(waitedMs).toBeLessThan(7_000);
  });
});
