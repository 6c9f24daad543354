import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import { FLOW_MESSAGES } from '../../packages/contracts/flow-messages.ts';
import type { FlowGrant } from '../../packages/contracts/flow-messages.ts';
import { limiterWorkflowId } from '../../packages/contracts/ids.ts';
import type { StartAnswer } from '../../packages/runtime/pipeline-client.ts';
import { readLimiter } from '../../packages/runtime/flow-client.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { pick, readChain } from './histories.ts';

let rig: Rig;
let runs: ProbeRuns;

beforeAll(async () => {
  rig = await createRig({ workers: 2 });
  runs = createProbeRuns(rig);
});

afterAll(() => rig.close(), 120_000);

const keyOf = (name: string): string => `${rig.taskQueue}/${name}`;
const limiterOf = (name: string) => rig.client.workflow.getHandle(limiterWorkflowId(keyOf(name)));

/** When items of some sets started, ms since 1970, ascending. */
const startsOf = async (...sets: readonly string[]): Promise<number[]> => {
  const { rows } = await rig.pool.query<{ at: number }>(
    'select extract(epoch from started_at)::float8 * 1000 as at from probe_executions where probe_set = any($1) and attempt = 1 order by 1',
    [sets],
  );
  return rows.map(({ at }) => at);
};

/** The first start time that the limiter gave a run, ms since 1970: items come late after it, never early. */
const firstGiven = async ({ workflowId, runId }: StartAnswer): Promise<number> => {
  const signals = pick(await readChain(rig, workflowId, runId), 'workflowExecutionSignaledEventAttributes');
  const grants = signals.filter(({ signalName }) => signalName === FLOW_MESSAGES.grant);
  return Math.min(...grants.flatMap(({ input }) => defaultPayloadConverter.fromPayload<FlowGrant>(input?.payloads?.[0] as Payload).starts));
};

/** Asserts that the i-th start is not before the i-th time of a plan that begins at `firstMs`; a process's timers count whole milliseconds. */
const expectInTime = (starts: readonly number[], { firstMs, apartMs }: { readonly firstMs: number; readonly apartMs: number }): void => {
  const early = starts.filter((at, place) => at < firstMs + place * apartMs - 1);
  expect(early).toEqual([]);
};

describe.each(['item', 'slice'] as const)('a limited key, %s dispatch', (dispatch) => {
  test('F1: {2, 5/s} and 30 items over two workers: at most 2 in flight, 6 starts in any second, and not before their time', async () => {
    const set = `f1-${dispatch}`;
    await runs.seed(set, 30, { sleepMs: 50 });
    const started = await runs.start({ set, dispatch, flowKey: set, parallelism: 2, ratePerSecond: 5 });
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 30 });
    const report = await runs.report(set);
    expect(report.maxOverlap).toBeLessThanOrEqual(2);
    expect(report.maxStartsPerSecond).toBeLessThanOrEqual(6);
    expectInTime(await startsOf(set), { firstMs: await firstGiven(started), apartMs: 200 });
  });

  test('a cap of 10 alone is never exceeded and costs the limiter a handful of messages', async () => {
    const set = `cap-${dispatch}`;
    await runs.seed(set, 300, { sleepMs: 20 });
    expect(await runs.run({ set, dispatch, flowKey: set, parallelism: 10 })).toMatchObject({ succeeded: 300 });
    expect((await runs.report(set)).maxOverlap).toBeLessThanOrEqual(10);
    const history = await limiterOf(set).fetchHistory();
    const heard = (history.events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === FLOW_MESSAGES.tell);
    expect(heard.length).toBeLessThanOrEqual(6);
  });
});

test('when a run has ended, its limiter holds nothing for it', async () => {
  await runs.seed('rest', 20);
  await runs.run({ set: 'rest', flowKey: 'rest', parallelism: 3 });
  expect(await readLimiter(rig.client, keyOf('rest'))).toMatchObject({ permits: 0, runs: [], limit: { parallelism: 3, ratePerSecond: null } });
});

test('F5: permits of a terminated run are back 2 to 5 s after its end, and others go on with them', async () => {
  await runs.seed('holder', 40, { sleepMs: 600_000 });
  await runs.seed('waiter', 4, { sleepMs: 100 });
  const holder = await runs.start({ set: 'holder', flowKey: 'shared', parallelism: 2 });
  await waitUntil({ what: 'two items in flight', timeoutMs: 60_000, probe: async () => (await runs.report('holder')).executions === 2 });
  const waiter = await runs.start({ set: 'waiter', flowKey: 'shared', parallelism: 2 });
  await waitUntil({
    what: 'the waiter known to the limiter',
    timeoutMs: 60_000,
    probe: async () => (await readLimiter(rig.client, keyOf('shared')))?.runs.length === 2,
  });
  const terminatedAt = performance.now();
  await rig.client.workflow.getHandle(holder.workflowId).terminate('test');
  await waitUntil({ what: 'the waiter starting', timeoutMs: 60_000, probe: async () => (await runs.report('waiter')).executions > 0 });
  expect(performance.now() - terminatedAt).toBeGreaterThan(2_000);
  expect(await runs.result(waiter)).toMatchObject({ succeeded: 4 });
});

test('F2: two runs that share {10, 20/s} start no more than 20 a second together, and both get on', async () => {
  const sets = ['f2-one', 'f2-two'];
  for (const set of sets) await runs.seed(set, 40, { sleepMs: 10 });
  const started = await Promise.all(sets.map((set) => runs.start({ set, flowKey: 'f2', parallelism: 10, ratePerSecond: 20 })));
  for (const each of started) expect(await runs.result(each)).toMatchObject({ succeeded: 40 });
  const starts = await startsOf(...sets);
  expectInTime(starts, { firstMs: Math.min(...(await Promise.all(started.map(firstGiven)))), apartMs: 50 });
  const inSecond = starts.map((from) => starts.filter((at) => at >= from && at < from + 1_000).length);
  // One more for each run in each of the two workers: they keep their distance each for itself.
  expect(Math.max(...inSecond)).toBeLessThanOrEqual(24);
});

test('F4: a run of 20 beside one of 5,000 on one key gets half of the rate until its starts are over', async () => {
  await runs.seed('f4-huge', 5_000);
  await runs.seed('f4-small', 20);
  const huge = await runs.start({ set: 'f4-huge', flowKey: 'f4', parallelism: 10, ratePerSecond: 20 });
  await waitUntil({ what: 'the huge run at work', timeoutMs: 60_000, probe: async () => (await runs.report('f4-huge')).executions > 10 });
  expect(await runs.run({ set: 'f4-small', flowKey: 'f4', parallelism: 10, ratePerSecond: 20 })).toMatchObject({ succeeded: 20 });
  await runs.control('abort', huge.workflowId);
  expect(await runs.result(huge)).toMatchObject({ outcome: 'aborted' });
  // Two seconds at ten a second, and a quarter more as the row allows.
  const starts = await startsOf('f4-small');
  expect((starts.at(-1) ?? Infinity) - (starts[0] ?? 0)).toBeLessThanOrEqual(2_500);
}, 120_000);

test('a limiter that continues as new in mid-run neither loses nor doubles a permit', async () => {
  const key = keyOf('renewed');
  const limiter = await rig.client.workflow.start('flowControl', {
    workflowId: limiterWorkflowId(key),
    taskQueue: rig.taskQueue,
    args: [{ v: 1, key, limit: { parallelism: 3, ratePerSecond: 40 }, eventBudget: 50 }],
  });
  await runs.seed('renewed', 120, { sleepMs: 20 });
  expect(await runs.run({ set: 'renewed', flowKey: 'renewed', parallelism: 3, ratePerSecond: 40 })).toMatchObject({ succeeded: 120 });
  expect((await runs.report('renewed')).maxOverlap).toBeLessThanOrEqual(3);
  const { raw } = await limiter.describe();
  expect(raw.workflowExecutionInfo?.execution?.runId).not.toBe(limiter.firstExecutionRunId);
  expect(await readLimiter(rig.client, key)).toMatchObject({ permits: 0, runs: [] });
});

test('a limiter that is terminated in mid-run is started again by the run that it served, and the run ends', async () => {
  await runs.seed('bereft', 60, { sleepMs: 50 });
  const started = await runs.start({ set: 'bereft', flowKey: 'bereft', parallelism: 2, ratePerSecond: 30 });
  await waitUntil({ what: 'some items done', timeoutMs: 60_000, probe: async () => (await runs.report('bereft')).done >= 10 });
  await limiterOf('bereft').terminate('test');
  expect(await runs.result(started)).toMatchObject({ succeeded: 60 });
  expect((await runs.report('bereft')).maxOverlap).toBeLessThanOrEqual(2);
});

test('signals to a limiter that are none of its own change nothing', async () => {
  await runs.seed('odd', 3);
  await runs.run({ set: 'odd', flowKey: 'odd', parallelism: 1 });
  const limiter = limiterOf('odd');
  for (const odd of [null, 'x', [], {}, { v: 2, kind: 'ask' }, { v: 1, kind: 'ask', key: 'another' }]) await limiter.signal(FLOW_MESSAGES.tell, odd);
  await expect(limiter.executeUpdate('set', { args: [{ parallelism: '15' }] })).rejects.toMatchObject({
    cause: { message: 'parallelism must be an integer from 1 to 10,000' },
  });
  expect(await limiter.executeUpdate('set', { args: [{ parallelism: 7 }] })).toMatchObject({
    limit: { parallelism: 7, ratePerSecond: null },
    source: 'operator',
  });
  expect(await readLimiter(rig.client, keyOf('odd'))).toMatchObject({ limit: { parallelism: 7 }, runs: [] });
});
