import type { ActivityFunction } from '@temporalio/common';
import { ApplicationFailure, CancelledFailure, noopMetricMeter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitWithWrite } from '../../activities/runner/commit.ts';
import { createPipelineActivities } from '../../activities/runner/create.ts';
import type { PipelineDefinition, RunnerDeps } from '../../activities/runner/definition.ts';
import type { Counted } from '../../packages/contracts/entry-activities.ts';
import { probeContract } from '../../packages/contracts/probe.ts';
import { claimItems } from '../../packages/database/item-claims.ts';
import { probeSource, seedProbe } from '../../packages/database/probe-store.ts';
import { holdLocalLease } from '../../packages/testing/local-lease.ts';
import type { LocalLease } from '../../packages/testing/local-lease.ts';
import { createPipelineMeter } from '../../packages/observability/pipeline-meter.ts';
import { createTestDatabase, openTestRun } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

type Fields = (typeof probeContract)['fields'];

const WORKER = 'mock-worker';

let base: TestDatabase;
let lease: LocalLease;

beforeEach(async () => {
  base = await createTestDatabase({ poolSize: 10 });
  lease = await holdLocalLease(base.pool, WORKER);
});

afterEach(async () => {
  await lease.stop();
  await base.close();
});

type Call = (
  verb: string,
  request: object,
  options?: { readonly activityId?: string; readonly environment?: MockActivityEnvironment },
) => Promise<unknown>;

const prepare = (definition: Partial<PipelineDefinition<Fields>> = {}): Call => {
  const deps: RunnerDeps = {
    db: base.db,
    identity: WORKER,
    record: () => undefined,
    isOwnerRunning: async () => true,
    msSinceClose: async () => null,
    flow: { prefix: '', tell: async () => undefined },
    meter: createPipelineMeter(noopMetricMeter),
  };
  const whole: PipelineDefinition<Fields> = { eligible: ({ set }) => probeSource(set), executeItem: async () => ({ kind: 'done' }), ...definition };
  const activities = createPipelineActivities<Fields>(probeContract, whole, deps) as Record<string, ActivityFunction>;
  return (verb, request, { activityId = '1', environment = new MockActivityEnvironment({ activityId }) } = {}) =>
    environment.run(activities[`probe.${verb}`] as ActivityFunction, request);
};

const caught = async (promise: Promise<unknown>): Promise<ApplicationFailure> => {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ApplicationFailure) return error;
  throw new Error(`no failure: ${JSON.stringify(error)}`);
};

const item = (run: string, itemId = 'a') => ({ run, itemId, dryRun: false, timeoutMs: 5_000 });
const stateOf = async (itemId = 'a') =>
  (await base.pool.query('select state, attempts, token from pipeline_items where item_id = $1', [itemId])).rows[0] as unknown;

describe('executeItem', () => {
  test('I6: of two attempts that claim at once one executes; the other makes no call and comes back after 2 s without an attempt', async () => {
    let calls = 0;
    let mayEnd = (): void => undefined;
    const ending = new Promise<void>((resolve) => (mayEnd = resolve));
    const call = prepare({ executeItem: async () => (calls++, await ending, { kind: 'done' }) });
    const run = await openTestRun(base.db, { scope: 'i6' });
    const both = ['1', '2'].map((activityId) => call('executeItem', item(run), { activityId }));
    const loser = await caught(Promise.race(both));
    mayEnd();
    expect(loser).toMatchObject({ type: 'ClaimHeld', nextRetryDelay: 2_000, nonRetryable: false });
    expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(calls).toBe(1);
    expect(await stateOf()).toMatchObject({ state: 'done', attempts: 1 });
  });

  test('I3: a blank item id is "Missing itemId in payload", final, and calls nobody', async () => {
    let calls = 0;
    const call = prepare({ executeItem: async () => (calls++, { kind: 'done' }) });
    const run = await openTestRun(base.db, { scope: 'i3' });
    for (const itemId of ['', '  ', undefined])
      expect(await caught(call('executeItem', { ...item(run), itemId }))).toMatchObject({ message: 'Missing itemId in payload', nonRetryable: true });
    expect(calls).toBe(0);
  });

  test('an item of a dry run is refused, whatever it asks', async () => {
    const call = prepare();
    for (const dryRun of [true, undefined, 'false'])
      expect(await caught(call('executeItem', { ...item('1'), dryRun }))).toMatchObject({ type: 'InternalError', nonRetryable: true });
  });

  test('a cancelled item that heeds its signal is given back: open again, no attempt used', async () => {
    const environment = new MockActivityEnvironment({ activityId: '1' });
    const call = prepare({
      executeItem: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          environment.cancel('CANCELLED', { cancelRequested: true } as never);
        }),
    });
    const run = await openTestRun(base.db, { scope: 'cancel' });
    await expect(call('executeItem', item(run), { environment })).rejects.toBeInstanceOf(CancelledFailure);
    expect(await stateOf()).toMatchObject({ state: 'open', attempts: 0 });
  });

  test('an item whose code throws before it returns a promise fails like any other', async () => {
    const call = prepare({
      executeItem: () => {
        throw new RangeError('at once');
      },
    });
    const run = await openTestRun(base.db, { scope: 'sync' });
    expect(await caught(call('executeItem', item(run)))).toMatchObject({ type: 'Error', message: 'RangeError: at once', nonRetryable: false });
    expect(await stateOf()).toMatchObject({ state: 'open', attempts: 1 });
  });
});

describe('executeSlice', () => {
  const slice = (run: string, itemIds: readonly string[]) => ({ run, dryRun: false, itemIds, concurrency: 10, itemTimeoutMs: 5_000 });

  test('counts what had ended before, executes the rest, and answers what to schedule again', async () => {
    const call = prepare({
      executeItem: async ({ itemId }) => {
        if (itemId === 'c') throw new Error('once more');
        return itemId === 'd' ? { kind: 'skipped', reason: 'stale' } : { kind: 'done' };
      },
    });
    const run = await openTestRun(base.db, { scope: 'slice' });
    await call('executeItem', item(run, 'a'), { activityId: '9' });
    const receipt = await call('executeSlice', slice(run, ['a', 'b', 'c', 'd', ' ']));
    expect(receipt).toMatchObject({ succeeded: 2, failed: 1, skipped: 1, interrupted: 0, notStarted: [] });
    expect((receipt as { retry: unknown }).retry).toEqual([{ itemId: 'c', afterMs: expect.any(Number) }]);
  });

  test('starts no item later than one second after it began, and gives back what it had claimed', async () => {
    const call = prepare({ executeItem: () => new Promise((resolve) => setTimeout(() => resolve({ kind: 'done' }), 700)) });
    const run = await openTestRun(base.db, { scope: 'window' });
    const ids = Array.from({ length: 50 }, (_, index) => `item-${index}`);
    const receipt = (await call('executeSlice', { ...slice(run, ids), concurrency: 5 })) as { succeeded: number; notStarted: string[] };
    // Two waves of five fit into the second, on a busy machine only one.
    expect([5, 10]).toContain(receipt.succeeded);
    expect(receipt.notStarted).toEqual(ids.slice(receipt.succeeded));
    const { rows } = await base.pool.query('select state, attempts, count(*)::int from pipeline_items group by 1, 2 order by 1');
    expect(rows).toEqual([
      { state: 'done', attempts: 1, count: receipt.succeeded },
      { state: 'open', attempts: 0, count: 50 - receipt.succeeded },
    ]);
  });
});

describe('an answer of the database that is lost', () => {
  /** The next COMMIT reaches the database, its answer does not reach us. */
  const loseNextCommit = (pool: pg.Pool): void => {
    const connect = pool.connect.bind(pool);
    let isLost = false;
    pool.connect = (async (callback?: () => void) => {
      if (callback !== undefined) return connect(callback);
      const client = await connect();
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = (async (...args: unknown[]) => {
        const answer = await query(...args);
        const [statement] = args as [string | { readonly text?: string }];
        if (isLost || (typeof statement === 'string' ? statement : statement.text) !== 'commit') return answer;
        isLost = true;
        throw new Error('Connection terminated unexpectedly');
      }) as never;
      return client;
    }) as never;
  };

  test("an item's own write is not made a second time", async () => {
    const run = await openTestRun(base.db, { scope: 'commit' });
    const { answers } = await claimItems(base.db, {
      run,
      claimants: [{ itemId: 'a', workflowId: 'w', activityId: '1' }],
      worker: WORKER,
      maxAttempts: 5,
      retakesFailed: 'never',
    });
    const [answer] = answers;
    if (answer?.kind !== 'claimed') throw new Error('not claimed');
    loseNextCommit(base.pool);
    let writes = 0;
    const ending = { claim: answer.claim, state: 'done', result: null, resultHash: null, reason: null } as const;
    expect(await commitWithWrite(base.db, ending, async () => void writes++)).toBe(true);
    expect(writes).toBe(1);
    expect(await stateOf()).toMatchObject({ state: 'done' });
  });

  test('a run opened by a lost answer is found again by its owner, with its counts and nothing else', async () => {
    await seedProbe(base.db, { set: 'again', items: 3, sleepMs: 0, failEvery: null, failTimes: null });
    const call = prepare();
    const request = { args: [{ set: 'again' }], owner: { workflowId: 'probe/again', firstRunId: 'f', runId: 'f' } };
    const first = (await call('countEligible', request)) as Counted;
    const second = (await call('countEligible', request)) as Counted;
    expect(second).toEqual({ ...first, startedAt: expect.any(String) });
    expect(second.counts).toEqual({ totalEligible: 3, toProcess: 3, alreadyProcessed: 0, deferred: 0, notEligible: 0 });
  });

  test("a finalize that is repeated answers as before and does not run the pipeline's own end again", async () => {
    let ends = 0;
    const call = prepare({ finalize: async () => void ends++ });
    const run = await openTestRun(base.db, { scope: 'finalize' });
    await call('executeItem', item(run));
    const request = { run, ended: 'drained', counted: { succeeded: 1, failed: 0, skipped: 0, interrupted: 0 }, pages: 1, chunks: 0, direct: 1 };
    const first = await call('finalize', request);
    expect(first).toMatchObject({ outcome: 'completed', succeeded: 1, message: 'Processed 1 items' });
    expect(await call('finalize', { ...request, ended: 'failed' })).toEqual(first);
    expect(ends).toBe(1);
  });
});
