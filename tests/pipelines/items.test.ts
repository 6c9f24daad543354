import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../packages/database/drizzle.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { itemFailure } from '../../activities/runner/failures.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createStage, seqOf, varyProbe } from '../../packages/testing/stage.ts';
import type { Stage, StageInput } from '../../packages/testing/stage.ts';

const HASTY = varyProbe({ retry: { firstWaitMs: 20 } });
const done = { kind: 'done' } as const;

vi.setConfig({ testTimeout: 180_000 });

let rig: Rig;
let runs: ProbeRuns;
let stage: Stage;

const prepare = async (input: StageInput): Promise<void> => {
  stage = createStage({ contract: HASTY, ...input });
  rig = await createRig({ activities: stage.createActivities });
  runs = createProbeRuns(rig);
};

const find = async (set: string, seq: number) => (await runs.ledger(set)).find(({ itemId }) => seqOf(itemId) === seq);
const countStarts = (seq: number): number => stage.starts.filter((itemId) => seqOf(itemId) === seq).length;

afterEach(() => rig.close());

describe.each(['item', 'slice'] as const)('an item in trouble, dispatch %s', (dispatch) => {
  test('I1: one that fails twice is done at its third attempt; one that the provider refuses fails at its first', async () => {
    await prepare({
      behave: async ({ itemId, attempt }) => {
        if (seqOf(itemId) === 1 && attempt <= 2) throw itemFailure('ProviderUnavailable', 'HTTP 502', { retryable: true });
        if (seqOf(itemId) === 2) throw itemFailure('ProviderRefused', 'HTTP 400');
        return done;
      },
    });
    await runs.seed('i1', 3);
    expect(await runs.run({ set: 'i1', dispatch })).toMatchObject({ outcome: 'completedWithFailures', succeeded: 2, failed: 1, remaining: 0 });
    expect(await find('i1', 1)).toMatchObject({ state: 'done', attempts: 3, errorType: null, error: null });
    expect(await find('i1', 2)).toMatchObject({ state: 'failed', attempts: 1, errorType: 'ProviderRefused', error: 'HTTP 400' });
    expect([countStarts(1), countStarts(2)]).toEqual([3, 1]);
  });

  test('I2, C5: item 7 of 20 whose transaction is always rolled back fails after 5 attempts, and the other 19 are done', async () => {
    await prepare({
      behave: async ({ itemId, input }) => ({
        ...done,
        write: async (tx) => {
          await tx.execute(sql`update probe_items set counter = counter + 1 where probe_set = ${input.set} and item_id = ${itemId}`);
          if (seqOf(itemId) === 7) throw itemFailure('ProviderUnavailable', 'not today', { retryable: true });
        },
      }),
    });
    await runs.seed('i2', 20);
    const result = await runs.run({ set: 'i2', dispatch });
    expect(result).toMatchObject({
      success: false,
      outcome: 'completedWithFailures',
      succeeded: 19,
      failed: 1,
      message: 'Processed 20 items, 1 failed',
    });
    expect(result.failedItems).toBe('strata failures probe/i2');
    expect(await find('i2', 7)).toMatchObject({ state: 'failed', attempts: 5, errorType: 'ProviderUnavailable', error: 'not today' });
    expect(countStarts(7)).toBe(5);
    const { rows } = await rig.pool.query("select counter, count(*)::int from probe_items where probe_set = 'i2' group by counter order by counter");
    expect(rows).toEqual([
      { counter: 0, count: 1 },
      { counter: 1, count: 19 },
    ]);
  });

  test('I3: a blank id is refused as missing before any call, and the others are done', async () => {
    await prepare({});
    await runs.seed('i3', 3);
    await rig.pool.query("insert into probe_items (probe_set, seq, item_id) values ('i3', 4, '  ')");
    expect(await runs.run({ set: 'i3', dispatch })).toMatchObject({ outcome: 'completedWithFailures', succeeded: 3, failed: 1, remaining: 0 });
    expect(stage.starts).toHaveLength(3);
  });

  test('I4: a timed-out attempt that ignores its signal is left behind: its late result and its late write are refused', async () => {
    const written: number[] = [];
    await prepare({
      contract: varyProbe({ plan: { itemTimeoutMs: 400 }, retry: { firstWaitMs: 20 } }),
      behave: async ({ attempt }) => {
        if (attempt === 1) await delay(1_500);
        return { ...done, result: { attempt }, write: async () => void written.push(attempt) };
      },
    });
    await runs.seed('i4', 1);
    expect(await runs.run({ set: 'i4', dispatch })).toMatchObject({ outcome: 'completed', succeeded: 1 });
    await waitUntil({ what: 'the late attempt having ended', timeoutMs: 10_000, probe: async () => stage.inFlight() === 0 });
    expect(await find('i4', 1)).toMatchObject({ state: 'done', attempts: 2, result: { attempt: 2 } });
    expect(written).toEqual([2]);
  });

  test('one that hangs for ever fails ItemTimeout after 5 attempts, and the run ends with the others done', async () => {
    await prepare({
      contract: varyProbe({ plan: { itemTimeoutMs: 300 }, retry: { firstWaitMs: 20 } }),
      behave: ({ itemId }) => (seqOf(itemId) === 2 ? new Promise(() => undefined) : Promise.resolve(done)),
    });
    await runs.seed('hang', 20);
    expect(await runs.run({ set: 'hang', dispatch })).toMatchObject({ outcome: 'completedWithFailures', succeeded: 19, failed: 1 });
    expect(await find('hang', 2)).toMatchObject({ state: 'failed', attempts: 5, errorType: 'ItemTimeout', error: 'not done within 300 ms' });
  });

  test.each([
    ['a result with NUL', async () => ({ ...done, result: 'a\0b' }), 'UnserializableValue', 1],
    ['a result with half a character', async () => ({ ...done, result: 'a\ud800b' }), 'UnserializableValue', 1],
    ['an error with NUL and half a character', () => Promise.reject(itemFailure('ProviderRefused', 'a\0\ud800b')), 'ProviderRefused', 1],
    ['an error of 5 MB', () => Promise.reject(new Error('x'.repeat(5_000_000))), 'AttemptsExhausted', 5],
  ] as const)('%s fails that item alone', async (_what, misbehave, errorType, attempts) => {
    await prepare({ behave: ({ itemId }) => (seqOf(itemId) === 5 ? misbehave() : Promise.resolve({ ...done, result: seqOf(itemId) })) });
    await runs.seed('odd', 10);
    expect(await runs.run({ set: 'odd', dispatch })).toMatchObject({ outcome: 'completedWithFailures', succeeded: 9, failed: 1 });
    const failed = await find('odd', 5);
    expect(failed).toMatchObject({ state: 'failed', errorType, attempts });
    expect(Buffer.byteLength(failed?.error ?? '')).toBeLessThanOrEqual(1_000);
  });

  test('a reason to skip that Postgres cannot hold skips the item all the same', async () => {
    await prepare({ behave: async () => ({ kind: 'skipped', reason: `stale\0${'x'.repeat(10_000)}` }) });
    await runs.seed('skip', 3);
    expect(await runs.run({ set: 'skip', dispatch })).toMatchObject({ outcome: 'completed', succeeded: 0, skipped: 3, remaining: 0 });
  });
});

test('I3: an item whose row is gone between listing and execution fails with "Item not found" at its first attempt', async () => {
  rig = await createRig();
  runs = createProbeRuns(rig);
  await runs.seed('gone', 3);
  await rig.pool.query("update probe_items set sleep_ms = 2000 where probe_set = 'gone' and seq = 1");
  const started = await runs.start({ set: 'gone', maxConcurrency: 1 });
  await waitUntil({ what: 'the first item running', timeoutMs: 40_000, probe: async () => (await runs.report('gone')).executions === 1 });
  await rig.pool.query("delete from probe_items where probe_set = 'gone' and seq = 3");
  expect(await runs.result(started)).toMatchObject({ outcome: 'completedWithFailures', succeeded: 2, failed: 1 });
  expect(await find('gone', 3)).toMatchObject({ state: 'failed', attempts: 1, errorType: 'ItemNotFound', error: 'Item not found' });
});
