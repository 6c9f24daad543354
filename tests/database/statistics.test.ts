import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction, readRow } from '../../packages/database/database.ts';
import type { Executor } from '../../packages/database/database.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { countEligible, listEligible } from '../../packages/database/eligible.ts';
import { claimItems } from '../../packages/database/item-claims.ts';
import type { Claim } from '../../packages/database/item-claims.ts';
import { endItems, releaseItems } from '../../packages/database/item-endings.ts';
import { probeSource, seedProbe } from '../../packages/database/probe-store.ts';
import { createTestDatabase, openTestRun } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

const ROWS = 2_000;

let base: TestDatabase;
beforeEach(async () => {
  base = await createTestDatabase();
});
afterEach(() => base.close());

const seed = (set: string): Promise<void> => seedProbe(base.db, { set, items: ROWS, sleepMs: 0, failEvery: null, failTimes: null });

/** Claims all items of a set by a run of its own, a hundred a statement. */
const claimAll = async (set: string): Promise<readonly Claim[]> => {
  const run = await openTestRun(base.db, { scope: set });
  const { rows } = await base.pool.query<{ item_id: string }>('select item_id from probe_items where probe_set = $1 order by seq', [set]);
  const claims: Claim[] = [];
  for (let from = 0; from < rows.length; from += 100) {
    const claimants = rows.slice(from, from + 100).map(({ item_id: itemId }) => ({ itemId, workflowId: 'w', activityId: '1' }));
    const { answers } = await claimItems(base.db, { run, claimants, worker: 'x', maxAttempts: 5, retakesFailed: 'never' });
    claims.push(...answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim] : [])));
  }
  expect(claims).toHaveLength(ROWS);
  return claims;
};

const endAll = async (claims: readonly Claim[]): Promise<void> => {
  await endItems(
    base.db,
    claims.map((claim) => ({ claim, state: 'done' as const, result: null, resultHash: null, reason: null })),
  );
};

/** Rows of the ledger that a piece of work reads. */
const countRead = (work: (executor: Executor) => Promise<unknown>): Promise<number> =>
  inTransaction(base.db, async (tx) => {
    const read = () =>
      readRow<{ rows: number }>(
        tx,
        sql`select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables where relname = 'pipeline_items'`,
      );
    const { rows: before } = await read();
    await work(tx);
    return (await read()).rows - before;
  });

describe('where the statistics are of earlier runs, all of them done', () => {
  let claims: readonly Claim[];
  beforeEach(async () => {
    for (const set of ['one', 'two']) {
      await seed(set);
      await endAll(await claimAll(set));
    }
    await base.pool.query('analyze');
    await seed('new');
    claims = await claimAll('new');
  });

  test('a page of a new run reads a row of the ledger for each of its own', async () => {
    const { id: epochId } = await readRow<{ id: string }>(base.db, sql`select id::text from pipeline_epochs where scope = 'new'`);
    const selection = { source: probeSource('new'), epochId, itemIds: null, retryFailed: 'nextRun' } as const;
    const { upperBound } = await countEligible(base.db, selection);
    const page = { selection, after: null, upperBound: upperBound as NonNullable<typeof upperBound>, pageSize: 500 };
    expect(await countRead((tx) => listEligible(tx, page))).toBeLessThanOrEqual(501);
    expect(await countRead((tx) => countEligible(tx, selection))).toBeLessThanOrEqual(ROWS);
  });

  test('done rows and rows given back are found by themselves, not among all that are claimed', async () => {
    const hundred = claims.slice(0, 100);
    const endings = hundred.map((claim) => ({ claim, state: 'done' as const, result: null, resultHash: null, reason: null }));
    expect(await countRead((tx) => endItems(tx, endings))).toBeLessThanOrEqual(200);
    expect(await countRead((tx) => releaseItems(tx, claims.slice(100, 200)))).toBeLessThanOrEqual(200);
  });
});
