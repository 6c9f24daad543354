import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction, readRow } from '../../packages/database/database.ts';
import { claimItems } from '../../packages/database/item-claims.ts';
import type { Claim, ClaimRequest, Claims } from '../../packages/database/item-claims.ts';
import { endItems, failItem, releaseItems } from '../../packages/database/item-endings.ts';
import { latchAbort } from '../../packages/database/aborts.ts';
import { finishRun } from '../../packages/database/run-store.ts';
import { holdLocalLease } from '../../packages/testing/local-lease.ts';
import type { LocalLease } from '../../packages/testing/local-lease.ts';
import { createTestDatabase, openTestRun } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

const NO_WORK = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0, pages: 0, chunks: 0, direct: 0 };

let base: TestDatabase;
let leases: readonly LocalLease[];

beforeAll(async () => {
  base = await createTestDatabase({ poolSize: 20 });
  leases = await Promise.all(['alive', 'other'].map((name) => holdLocalLease(base.pool, name)));
});

afterAll(async () => {
  await Promise.all(leases.map((lease) => lease.stop()));
  await base.close();
});

interface ClaimOptions extends Partial<ClaimRequest> {
  readonly itemId?: string;
  readonly activityId?: string;
}

const claim = (run: string, { itemId = 'a', activityId = '1', ...more }: ClaimOptions = {}): Promise<Claims> =>
  claimItems(base.db, {
    run,
    claimants: [{ itemId, workflowId: 'w', activityId }],
    worker: 'alive',
    maxAttempts: 5,
    retakesFailed: 'nextRun',
    ...more,
  });

const won = ({ answers }: Claims): Claim => {
  const [answer] = answers;
  if (answer?.kind !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(answer)}`);
  return answer.claim;
};

const fail = (run: string, held: Claim, kind: 'final' | 'retry' | 'free' = 'retry') =>
  failItem(base.db, { run, claim: held, errorType: 'ProviderUnavailable', error: 'down', kind });

const end = (held: Claim) => endItems(base.db, [{ claim: held, state: 'done', result: '{"n":1}', resultHash: 'h', reason: null }]);

const rowOf = (held: Claim) =>
  readRow<Record<string, unknown>>(
    base.db,
    sql`select state, token, attempts, failed_runs, free_waits, error_type from pipeline_items where id = ${held.rowId}`,
  );

const finish = (run: string) => inTransaction(base.db, (tx) => finishRun(tx, { run, outcome: 'completed', message: '', ...NO_WORK }));

describe('claiming', () => {
  test('I6: of 20 claims at once exactly one wins, the others find the item held', async () => {
    const run = await openTestRun(base.db, { scope: 'race' });
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(run, { activityId: String(index) })));
    const kinds = all.map(({ answers }) => answers[0]?.kind);
    expect(kinds.filter((kind) => kind === 'claimed')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'held')).toHaveLength(19);
  });

  test('the same activity takes its own claim over again: token and attempt go up by one', async () => {
    const run = await openTestRun(base.db, { scope: 'again' });
    const first = won(await claim(run));
    const second = won(await claim(run));
    expect([first.token, first.attempt, second.token, second.attempt]).toEqual([1, 1, 2, 2]);
  });

  test('a claim of a live worker is held, and taken over once its lease has expired', async () => {
    const run = await openTestRun(base.db, { scope: 'lease' });
    const lease = await holdLocalLease(base.pool, 'mortal');
    won(await claim(run, { worker: 'mortal' }));
    expect((await claim(run, { activityId: '2' })).answers).toEqual([{ kind: 'held', itemId: 'a' }]);
    await lease.stop();
    expect(won(await claim(run, { activityId: '2' }))).toMatchObject({ token: 2, attempt: 2 });
  });

  test('a claim left by a run that has closed is free for the next run, as its first attempt', async () => {
    const run = await openTestRun(base.db, { scope: 'closed' });
    const held = won(await claim(run));
    await base.pool.query("update pipeline_runs set finished_at = now(), outcome = 'terminated' where id = $1", [run]);
    const next = await openTestRun(base.db, { scope: 'closed', runNo: 2 });
    expect(won(await claim(next, { activityId: '2' }))).toMatchObject({ rowId: held.rowId, token: 2, attempt: 1 });
    expect((await end(held)).size).toBe(0);
  });

  test.each([
    ['aborted', async (run: string) => void (await latchAbort(base.db, `probe/${run}`, null))],
    ['finished', async (run: string) => void (await base.pool.query('update pipeline_runs set finished_at = now() where scope = $1', [run]))],
    [
      'threshold',
      async (run: string) => void (await base.pool.query('update pipeline_runs set failed = 1, max_failures = 0 where scope = $1', [run])),
    ],
  ])('a run that is %s takes no claim', async (refused, stop) => {
    const run = await openTestRun(base.db, { scope: refused });
    await stop(refused);
    expect(await claim(run)).toEqual({ answers: [], refused, exceeded: false });
    expect((await base.pool.query('select from pipeline_items where run_id = $1', [run])).rowCount).toBe(0);
  });

  test('items that several activities ask for in one statement are answered in that order, each under its own activity', async () => {
    const run = await openTestRun(base.db, { scope: 'together' });
    await end(won(await claim(run, { itemId: 'b' })));
    won(await claim(run, { itemId: 'c', activityId: 'elsewhere' }));
    const claimants = ['d', 'c', 'b', 'a'].map((itemId) => ({ itemId, workflowId: 'w', activityId: `of-${itemId}` }));
    const { answers } = await claim(run, { claimants });
    expect(answers).toMatchObject([
      { kind: 'claimed', claim: { itemId: 'd', token: 1 } },
      { kind: 'held', itemId: 'c' },
      { kind: 'ended', itemId: 'b', state: 'done', byThisRun: true, resultHash: 'h' },
      { kind: 'claimed', claim: { itemId: 'a', token: 1 } },
    ]);
    expect(won(await claim(run, { itemId: 'a', activityId: 'of-a' }))).toMatchObject({ token: 2 });
  });

  test('a blank item id is refused by the table itself', async () => {
    const run = await openTestRun(base.db, { scope: 'blank' });
    await expect(claim(run, { itemId: '  ' })).rejects.toMatchObject({ cause: { constraint: 'pipeline_items_item_not_blank' } });
  });
});

describe('attempts', () => {
  test('a sixth claim writes failed, keeps the last error, counts one failed item and executes nothing', async () => {
    const run = await openTestRun(base.db, { scope: 'sixth', maxFailures: 0 });
    const held = [1, 2, 3, 4, 5].map(() => claim(run));
    for (const each of held) await each;
    const { answers, exceeded } = await claim(run);
    expect(answers).toEqual([{ kind: 'exhausted', itemId: 'a', errorType: 'ItemTimeout', error: 'no attempt ended in time', attempts: 5 }]);
    expect(exceeded).toBe(true);
    expect(await readRow(base.db, sql`select failed from pipeline_runs where id = ${run}`)).toEqual({ failed: 1 });
  });

  test('a sixth claim after a recorded error names that error', async () => {
    const run = await openTestRun(base.db, { scope: 'sixth-error' });
    await fail(run, won(await claim(run)));
    for (let attempt = 2; attempt <= 5; attempt++) expect(won(await claim(run)).attempt).toBe(attempt);
    expect((await claim(run)).answers[0]).toMatchObject({ kind: 'exhausted', errorType: 'ProviderUnavailable', error: 'down', attempts: 5 });
  });

  test('a rate-limit answer gives its attempt back and counts the waits in a row; an ordinary failure ends the row', async () => {
    const run = await openTestRun(base.db, { scope: 'free' });
    for (let waits = 0; waits < 3; waits++) {
      const held = won(await claim(run));
      expect(held).toMatchObject({ attempt: 1, freeWaits: waits });
      await fail(run, held, 'free');
    }
    await fail(run, won(await claim(run)), 'retry');
    expect(won(await claim(run))).toMatchObject({ attempt: 2, freeWaits: 0 });
  });

  test('a claim given back unended costs no attempt', async () => {
    const run = await openTestRun(base.db, { scope: 'released' });
    const held = won(await claim(run));
    await releaseItems(base.db, [held]);
    await releaseItems(base.db, [held]);
    expect(won(await claim(run, { activityId: '9', worker: 'other' }))).toMatchObject({ attempt: 1, token: 2 });
  });
});

describe('endings', () => {
  test('I4: an ending, a failure and a release under an old token change nothing', async () => {
    const run = await openTestRun(base.db, { scope: 'late' });
    const late = won(await claim(run));
    const current = won(await claim(run));
    expect((await end(late)).size).toBe(0);
    expect(await fail(run, late, 'final')).toEqual({ written: false, exceeded: false });
    await releaseItems(base.db, [late]);
    expect(await rowOf(current)).toMatchObject({ state: 'claimed', token: 2, attempts: 2 });
    expect((await end(current)).get(current.rowId)).toBe('written');
  });

  test('a repeated ending says that it had landed, and a terminal row stays as it is', async () => {
    const run = await openTestRun(base.db, { scope: 'repeat' });
    const held = won(await claim(run));
    expect((await end(held)).get(held.rowId)).toBe('written');
    expect((await end(held)).get(held.rowId)).toBe('landed');
    expect(await fail(run, held, 'final')).toEqual({ written: false, exceeded: false });
    expect((await claim(run)).answers[0]).toMatchObject({ kind: 'ended', state: 'done', byThisRun: true, attempts: 1, resultHash: 'h' });
  });

  test('the failure that goes past the threshold says so, the one before does not', async () => {
    const run = await openTestRun(base.db, { scope: 'limit', maxFailures: 1 });
    expect(await fail(run, won(await claim(run, { itemId: 'a' })), 'final')).toEqual({ written: true, exceeded: false });
    expect(await fail(run, won(await claim(run, { itemId: 'b' })), 'final')).toEqual({ written: true, exceeded: true });
    expect((await claim(run, { itemId: 'c' })).refused).toBe('threshold');
  });

  test('the end of a run frees the claims it still holds and refuses their late writes', async () => {
    const run = await openTestRun(base.db, { scope: 'freed' });
    const held = won(await claim(run));
    await finish(run);
    expect(await rowOf(held)).toMatchObject({ state: 'open', token: 2 });
    expect((await end(held)).size).toBe(0);
  });
});

describe('failed items of an earlier run', () => {
  const failOnce = async (scope: string, runNo: number): Promise<Claim> => {
    const run = await openTestRun(base.db, { scope, runNo });
    const held = won(await claim(run, { retakesFailed: 'always' }));
    await fail(run, held, 'final');
    expect((await claim(run, { retakesFailed: 'always' })).answers[0]).toMatchObject({ kind: 'ended', state: 'failed', byThisRun: true });
    await finish(run);
    return held;
  };

  test.each([
    ['never', 'ended'],
    ['nextRun', 'claimed'],
    ['always', 'claimed'],
  ] as const)('mode %s: the next run finds it %s', async (retakesFailed, kind) => {
    await failOnce(retakesFailed, 1);
    const next = await openTestRun(base.db, { scope: retakesFailed, runNo: 2 });
    const [answer] = (await claim(next, { retakesFailed })).answers;
    expect(answer?.kind).toBe(kind);
    if (answer?.kind === 'claimed') expect(answer.claim).toMatchObject({ attempt: 1, freeWaits: 0 });
  });

  test('after three failed runs only a redrive takes it again', async () => {
    for (const runNo of [1, 2, 3]) await failOnce('thrice', runNo);
    const run = await openTestRun(base.db, { scope: 'thrice', runNo: 4 });
    expect((await claim(run, { retakesFailed: 'nextRun' })).answers[0]).toMatchObject({ kind: 'ended', state: 'failed', byThisRun: false });
    expect((await claim(run, { retakesFailed: 'always' })).answers[0]?.kind).toBe('claimed');
  });
});
