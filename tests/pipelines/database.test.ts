import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readRow } from '../../packages/database/database.ts';
import { startOwnPostgres } from '../../packages/testing/own-postgres.ts';
import type { OwnPostgres } from '../../packages/testing/own-postgres.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { CreateRigInput, Rig } from '../../packages/testing/rig.ts';
import { createStage, seqOf, varyProbe } from '../../packages/testing/stage.ts';
import type { Stage, StageInput } from '../../packages/testing/stage.ts';

const DISPATCHES = ['item', 'slice'] as const;
const IS_FULL = process.env['STRATA_TEST_FULL'] === '1';
const OUTAGE_MS = IS_FULL ? 60_000 : 6_000;
const TENS = { pageSize: 20, chunkSize: 10, chunksInFlight: 1 };
const HASTY = varyProbe({ retry: { firstWaitMs: 50 }, outageWaitsMs: { first: 100, max: 500 } });

let postgres: OwnPostgres;
vi.setConfig({ testTimeout: 180_000 });

let rig: Rig;
let runs: ProbeRuns;
let stage: Stage;

const prepare = async (input: StageInput, more: CreateRigInput = {}): Promise<void> => {
  stage = createStage(input);
  rig = await createRig({ activities: stage.createActivities, postgres, ...more });
  runs = createProbeRuns(rig);
};

const seqs = (): number[] => stage.starts.map(seqOf).sort((left, right) => left - right);
const ONE_TO_20 = Array.from({ length: 20 }, (_, index) => index + 1);

beforeAll(async () => {
  postgres = await startOwnPostgres();
});

afterAll(() => postgres.remove());
afterEach(() => rig.close());

test('D1: Postgres restarted while the worker is idle: the worker stays up and does the next run', async () => {
  await prepare({});
  await runs.seed('d1-idle', 20);
  await postgres.stop();
  await postgres.start();
  expect(await runs.run({ set: 'd1-idle' })).toMatchObject({ outcome: 'completed', succeeded: 20 });
  expect(seqs()).toEqual(ONE_TO_20);
});

describe.each(DISPATCHES)('Postgres away, dispatch %s', (dispatch) => {
  test('D1: restarted while 20 items are running, all 20 are done and each once', async () => {
    await prepare({ contract: HASTY });
    await runs.seed('d1', 20);
    stage.hold(() => false);
    const started = await runs.start({ set: 'd1', dispatch });
    await stage.waitFor({ ended: 0, inFlight: 20 });
    await postgres.stop();
    stage.open();
    await postgres.start();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 20, failed: 0 });
    expect(seqs()).toEqual(ONE_TO_20);
    expect((await runs.ledger('d1')).filter(({ state, attempts }) => state === 'done' && attempts === 1)).toHaveLength(20);
  });

  test('D2: down in mid-page, a run fails no item, executes none twice, and completes when Postgres is back', async () => {
    await prepare({ contract: varyProbe({ ...HASTY, plan: { ...TENS, itemTimeoutMs: 120_000 } }) });
    await runs.seed('d2', 120);
    stage.hold((itemId) => seqOf(itemId) <= 20);
    const started = await runs.start({ set: 'd2', dispatch, maxConcurrency: 10 });
    await stage.waitFor({ ended: 20, inFlight: 10 });
    await postgres.stop();
    stage.open();
    await delay(OUTAGE_MS);
    await postgres.start();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 120, failed: 0, remaining: 0 });
    expect(await runs.report('d2')).toMatchObject({ done: 120, failed: 0 });
    expect(stage.starts).toHaveLength(120);
  });

  test('D2: an outage that outlasts the attempts ends the run Failed DatabaseUnavailable with its items open; the next start does the rest', async () => {
    await prepare({ contract: varyProbe({ plan: TENS, outageWaitsMs: { first: 5, max: 10 } }) });
    await runs.seed('d2-long', 60);
    stage.hold((itemId) => seqOf(itemId) <= 20);
    const started = await runs.start({ set: 'd2-long', dispatch, maxConcurrency: 10 });
    await stage.waitFor({ ended: 20, inFlight: 10 });
    await runs.control('pause', started.workflowId);
    stage.open();
    await runs.progressed(started, '30 items counted', ({ succeeded, inFlight }) => succeeded === 30 && inFlight === 0);
    await postgres.stop();
    await runs.control('resume', started.workflowId);
    const failure = await runs.failure(started);
    await postgres.start();
    expect(failure).toMatchObject({ type: 'DatabaseUnavailable', nonRetryable: true });
    const states = (await runs.ledger('d2-long')).map(({ state }) => state);
    expect(states.filter((state) => state === 'done')).toHaveLength(30);
    expect(states).not.toContain('failed');
    expect(await runs.run({ set: 'd2-long', dispatch })).toMatchObject({ outcome: 'completed', toProcess: 30, succeeded: 30, failed: 0 });
    expect(stage.starts).toHaveLength(60);
  });
});

describe('a small pool', () => {
  test('D3: with 5 connections, 50 items at once are all done and the counts of the pool are normal again', async () => {
    await prepare(
      { behave: async (_item, deps) => (await deps.db.execute(sql`select pg_sleep(0.05)`), { kind: 'done' }) },
      { poolSize: 5, worker: { maxConcurrentActivityTaskExecutions: 50 } },
    );
    await runs.seed('d3', 50);
    expect(await runs.run({ set: 'd3' })).toMatchObject({ outcome: 'completed', succeeded: 50 });
    expect(rig.pool.totalCount).toBeLessThanOrEqual(5);
    expect(rig.pool.waitingCount).toBe(0);
  });

  test('D3: a row locked elsewhere costs its item attempts, not the run: the others go on, and it is done when the lock is gone', async () => {
    const behave: StageInput['behave'] = async ({ itemId, input }, { db }) => {
      await db.execute(sql`update probe_items set counter = counter + 1 where probe_set = ${input.set} and item_id = ${itemId}`);
      return { kind: 'done' };
    };
    await prepare({ behave, contract: HASTY });
    await runs.seed('d3-lock', 20);
    const holder = await rig.pool.connect();
    await holder.query('begin');
    await holder.query("select from probe_items where probe_set = 'd3-lock' and seq = 7 for update");
    const started = await runs.start({ set: 'd3-lock' });
    await runs.progressed(started, 'the other 19 items counted', ({ succeeded }) => succeeded === 19);
    const { error } = await readLocked();
    await holder.query('rollback');
    holder.release();
    expect(error).toBe('database error 55P03');
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 20, failed: 0 });
  });

  const readLocked = async (): Promise<{ error: string }> => {
    for (;;) {
      const row = await readRow<{ error: string | null }>(rig.db, sql`select error from pipeline_items where item_id = 'item-0000007'`);
      if (row.error !== null) return { error: row.error };
      await delay(100);
    }
  };
});
