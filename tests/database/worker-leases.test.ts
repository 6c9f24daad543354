import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  endReaping,
  findClaimingWorkflows,
  findOpenRuns,
  keepReaping,
  leaveReaping,
  takeLapsedLeases,
} from '../../packages/database/lease-reaping.ts';
import { claimItems } from '../../packages/database/item-claims.ts';
import { readLiveWorkers } from '../../packages/database/live-workers.ts';
import { abandonLease, giveUpLease, renewLease } from '../../packages/database/worker-lease.ts';
import type { LeaseNeighbours } from '../../packages/database/worker-lease.ts';
import { createTestDatabase, openTestRun } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

let base: TestDatabase;

beforeAll(async () => {
  base = await createTestDatabase({ poolSize: 20 });
});
afterAll(() => base.close());
beforeEach(() => base.pool.query('truncate worker_leases'));

// Renewed a minute from now: fresh and held however slow the machine.
const FRESH = -60_000;

interface Row {
  readonly identity: string;
  /** When the lease was last renewed, in ms ago; it holds 2 s from then. */
  readonly renewedMs: number;
  /** How long ago the process began to judge others; negative: it does not yet. */
  readonly judgesMs?: number;
  readonly reapedBy?: string;
  /** How much longer the reaping is another's, in ms. */
  readonly reapedForMs?: number;
}

const put = ({ identity, renewedMs, judgesMs = 60_000, reapedBy, reapedForMs }: Row): Promise<unknown> =>
  base.pool.query(
    `insert into worker_leases values ($1, '{q}', now() - $2 * interval '1 ms', now() + (2000 - $2) * interval '1 ms', now() - $3 * interval '1 ms',
       $4, now() + $5 * interval '1 ms')`,
    [identity, renewedMs, judgesMs, reapedBy ?? null, reapedForMs ?? null],
  );

const renew = (identity: string, isFirst = false): Promise<LeaseNeighbours> =>
  renewLease(base.pool, { identity, taskQueues: ['q'], holdsMs: 2_000, isFirst });

/** In how many ms a process begins to judge others. */
const judgesIn = async (identity: string): Promise<number> => {
  const { rows } = await base.pool.query<{ ms: number }>(
    `select (extract(epoch from judges_at - renewed_at) * 1000)::float8 as ms from worker_leases where identity = $1`,
    [identity],
  );
  return rows[0]?.ms ?? Number.NaN;
};

const take = async (reaper: string): Promise<string[]> => (await takeLapsedLeases(base.db, reaper)).map(({ identity }) => identity).sort();

describe('who judges', () => {
  test('a process that has just started judges others half a second later', async () => {
    await put({ identity: 'dead', renewedMs: 10_000 });
    expect(await renew('new', true)).toMatchObject({ hasLapsed: true });
    expect(await judgesIn('new')).toBe(500);
    expect(await take('new')).toEqual([]);
  });

  test('one whose renewals come in time goes on judging', async () => {
    await put({ identity: 'me', renewedMs: 300 });
    await put({ identity: 'dead', renewedMs: 2_100 });
    await renew('me');
    expect(await take('me')).toEqual(['dead']);
  });

  test.each([
    ['whose renewal comes late', { identity: 'me', renewedMs: 1_100 }],
    ['whose lease had lapsed', { identity: 'me', renewedMs: 60_000 }],
    ['that finds a survivor reaping it', { identity: 'me', renewedMs: 400, reapedBy: 'other', reapedForMs: 10_000 }],
    ['whose row is gone', null],
  ])('one %s judges nobody for two lease periods', async (_what, row) => {
    if (row !== null) await put(row);
    await put({ identity: 'dead', renewedMs: 10_000 });
    await renew('me');
    expect(await judgesIn('me')).toBe(4_000);
    expect(await take('me')).toEqual([]);
  });

  test('while it may not judge, timely renewals do not put it off any further', async () => {
    await put({ identity: 'me', renewedMs: 0, judgesMs: -1_000 });
    await renew('me');
    const ms = await judgesIn('me');
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(1_000);
  });

  test('one that has not renewed for a second judges nobody, although its lease holds: what cut it off may have cut off the others', async () => {
    await put({ identity: 'me', renewedMs: 1_100 });
    await put({ identity: 'dead', renewedMs: 2_600 });
    expect(await take('me')).toEqual([]);
  });

  test('a process without a lease judges nobody', async () => {
    await put({ identity: 'dead', renewedMs: 10_000 });
    expect(await take('stranger')).toEqual([]);
  });
});

describe('who is judged', () => {
  beforeEach(() => put({ identity: 'me', renewedMs: FRESH }));

  test('processes whose lease has lapsed, with the queues that they served, and no others', async () => {
    await put({ identity: 'alive', renewedMs: 1_000 });
    await put({ identity: 'dead', renewedMs: 2_100 });
    await put({ identity: 'long dead', renewedMs: 10_000_000 });
    expect((await takeLapsedLeases(base.db, 'me')).sort((a, b) => (a.identity < b.identity ? -1 : 1))).toEqual([
      { identity: 'dead', taskQueues: ['q'] },
      { identity: 'long dead', taskQueues: ['q'] },
    ]);
  });

  test('one that gave its lease up is not, one that abandoned its work is at once', async () => {
    for (const identity of ['orderly', 'forced']) await renew(identity, true);
    await giveUpLease(base.pool, 'orderly');
    await abandonLease(base.pool, 'forced');
    expect(await take('me')).toEqual(['forced']);
  });

  test('of 20 survivors exactly one takes a lapsed lease', async () => {
    const survivors = Array.from({ length: 20 }, (_, index) => `survivor-${index}`);
    for (const identity of survivors) await put({ identity, renewedMs: FRESH });
    await put({ identity: 'dead', renewedMs: 3_000 });
    const taken = await Promise.all(survivors.map(take));
    expect(taken.filter((identities) => identities.length > 0)).toEqual([['dead']]);
  });

  test.each([
    ['is alive and within its time', { renewedMs: FRESH }, 10_000, []],
    ['is alive but has run out of time', { renewedMs: FRESH }, -1, ['dead']],
    ['has died', { renewedMs: 3_000 }, 10_000, ['dead', 'reaper']],
    ['is gone', null, 10_000, ['dead']],
  ])('one in the hands of a reaper that %s is taken as that calls for', async (_what, reaper, reapedForMs, expected) => {
    if (reaper !== null) await put({ identity: 'reaper', ...reaper });
    await put({ identity: 'dead', renewedMs: 5_000, reapedBy: 'reaper', reapedForMs });
    expect(await take('me')).toEqual(expected);
  });
});

describe('reaping', () => {
  const reaping = { reaper: 'me', identities: ['dead', 'asleep'] };

  beforeEach(async () => {
    await put({ identity: 'me', renewedMs: FRESH });
    for (const identity of reaping.identities) await put({ identity, renewedMs: 3_000 });
    expect(await take('me')).toEqual(['asleep', 'dead']);
  });

  test('a process that wakes up is its own again: the reaper keeps the others and removes them alone', async () => {
    await renew('asleep');
    expect(await keepReaping(base.db, reaping)).toEqual(['dead']);
    await endReaping(base.db, reaping);
    expect((await base.pool.query('select identity from worker_leases order by identity')).rows).toEqual([
      { identity: 'asleep' },
      { identity: 'me' },
    ]);
  });

  test('what a reaper leaves is there for the next, itself included', async () => {
    expect(await take('me')).toEqual([]);
    await leaveReaping(base.db, reaping);
    expect(await take('me')).toEqual(['asleep', 'dead']);
  });

  test('a reaper whose time ran out keeps, ends and leaves nothing that another has taken', async () => {
    await put({ identity: 'next', renewedMs: FRESH });
    await base.pool.query(`update worker_leases set reaped_until = now() - interval '1 s' where reaped_by = 'me'`);
    expect(await take('next')).toEqual(['asleep', 'dead']);
    expect(await keepReaping(base.db, reaping)).toEqual([]);
    await endReaping(base.db, reaping);
    await leaveReaping(base.db, reaping);
    expect(await keepReaping(base.db, { ...reaping, reaper: 'next' })).toHaveLength(2);
  });
});

test('a renewal tells when the next of the others would lapse', async () => {
  expect(await renew('me', true)).toEqual({ hasLapsed: false, nextLapseMs: null });
  await put({ identity: 'soon', renewedMs: 1_000 });
  await put({ identity: 'later', renewedMs: 200 });
  const { hasLapsed, nextLapseMs } = await renew('me');
  expect(hasLapsed).toBe(false);
  expect(nextLapseMs).toBeGreaterThan(0);
  expect(nextLapseMs).toBeLessThanOrEqual(1_000);
});

test('live workers are those whose lease holds', async () => {
  await put({ identity: 'alive', renewedMs: 1_000 });
  await put({ identity: 'dead', renewedMs: 2_500 });
  expect(await readLiveWorkers(base.db, ['alive', 'dead', 'unknown'])).toEqual(new Set(['alive']));
  expect(await readLiveWorkers(base.db, [])).toEqual(new Set());
});

test('the workflows in whose name a dead worker holds claims are found, and all runs that are open, newest first', async () => {
  const [older, newer, over] = [
    await openTestRun(base.db, { scope: 'older' }),
    await openTestRun(base.db, { scope: 'newer' }),
    await openTestRun(base.db, { scope: 'over' }),
  ];
  const claim = (run: string, workflowId: string, worker: string): Promise<unknown> =>
    claimItems(base.db, {
      run,
      worker,
      claimants: ['1', '2'].map((n) => ({ itemId: `${workflowId} ${n}`, workflowId, activityId: n })),
      maxAttempts: 5,
      retakesFailed: 'never',
    });
  await claim(older, 'chunk/1', 'dead');
  await claim(older, 'chunk/2', 'alive');
  await claim(newer, 'chunk/3', 'dead too');
  await claim(over, 'chunk/4', 'dead');
  await base.pool.query(`update pipeline_runs set finished_at = now(), outcome = 'terminated' where id = $1`, [over]);
  expect((await findClaimingWorkflows(base.db, ['dead', 'dead too'])).sort()).toEqual(['chunk/1', 'chunk/3']);
  expect(await findOpenRuns(base.db)).toEqual(['probe/newer', 'probe/older']);
});
