import { afterEach, describe, expect, test, vi } from 'vitest';
import type { StartAnswer } from '../../packages/runtime/pipeline-client.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createStage, seqOf, varyProbe } from '../../packages/testing/stage.ts';
import type { Stage, StageInput } from '../../packages/testing/stage.ts';

vi.setConfig({ testTimeout: 180_000 });

let rig: Rig;
let runs: ProbeRuns;
let stage: Stage;

const DISPATCHES = ['item', 'slice'] as const;
// A slice starts its items within half a second or hands them back, so here all five of each start at once, two slices at a time: 35 done in place of 37.
const PLANS = { item: varyProbe({}), slice: varyProbe({ plan: { chunkSize: 5, chunksInFlight: 2 } }) };
const DONE = { item: 37, slice: 35 };
const upTo = (last: number) => (itemId: string) => seqOf(itemId) <= last;

const prepare = async (input: StageInput = {}, workers = 1): Promise<void> => {
  stage = createStage(input);
  rig = await createRig({ activities: stage.createActivities, workers });
  runs = createProbeRuns(rig);
};

/** Pauses a run and waits until its open chunks have heard of it, too. */
const pause = async (started: StartAnswer): Promise<void> => {
  expect(await runs.control('pause', started.workflowId)).toMatchObject({ accepted: true, state: 'paused' });
  await waitUntil({
    what: 'every open chunk knowing of the pause',
    timeoutMs: 40_000,
    probe: async () => {
      const { events } = await runs.handle(started).fetchHistory();
      const count = (kind: keyof NonNullable<typeof events>[number]): number => (events ?? []).filter((event) => Boolean(event[kind])).length;
      const open = count('childWorkflowExecutionStartedEventAttributes') - count('childWorkflowExecutionCompletedEventAttributes');
      return count('externalWorkflowExecutionSignaledEventAttributes') >= open;
    },
  });
};

afterEach(() => rig.close());

describe.each(DISPATCHES)('pause and resume, dispatch %s', (dispatch) => {
  test('K1: paused at 37 done and 10 in flight, a run ends at 47, stays paused over a worker restart, and resumes to 120', async () => {
    const done = DONE[dispatch];
    await prepare({ contract: PLANS[dispatch] }, 0);
    const first = await rig.startWorker();
    await runs.seed('k1', 120);
    stage.hold(upTo(done));
    const started = await runs.start({ set: 'k1', dispatch, maxConcurrency: 10 });
    await stage.waitFor({ ended: done, inFlight: 10 });
    await pause(started);
    stage.releaseWaiting();
    await stage.waitFor({ ended: done + 10, inFlight: 0 });
    await first.stop();
    await rig.startWorker();
    const paused = await runs.progressed(started, 'ten more items counted', ({ succeeded }) => succeeded === done + 10);
    expect(paused).toMatchObject({ state: 'paused', inFlight: 0, remaining: 110 - done });
    expect(stage.starts).toHaveLength(done + 10);
    stage.open();
    expect(await runs.control('resume', started.workflowId)).toMatchObject({ accepted: true, state: 'running' });
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 120, message: 'Processed 120 items' });
    expect(new Set(stage.starts).size).toBe(120);
    expect(stage.starts).toHaveLength(120);
  });

  test('K1: a run paused at its event budget does not continue as new until it is resumed', async () => {
    await prepare({ contract: varyProbe({ plan: { eventBudget: 20, pageSize: 8, chunkSize: 4, chunksInFlight: 1 } }) });
    await runs.seed('k1-budget', 60);
    stage.hold(upTo(4));
    const started = await runs.start({ set: 'k1-budget', dispatch, maxConcurrency: 4 });
    await stage.waitFor({ ended: 4, inFlight: 4 });
    await pause(started);
    stage.open();
    await runs.progressed(started, '8 items counted', ({ succeeded }) => succeeded >= 8);
    const { runId } = await rig.client.workflow.getHandle(started.workflowId).describe();
    expect(runId).toBe(started.runId);
    await runs.control('resume', started.workflowId);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 60, pages: 8 });
    expect((await rig.client.workflow.getHandle(started.workflowId).describe()).runId).not.toBe(started.runId);
  });

  test('K1b: a pause during the drain before continue-as-new keeps everything still until resume', async () => {
    await prepare({ contract: varyProbe({ plan: { eventBudget: 1, pageSize: 10, chunkSize: 10, pagesAhead: 0 } }) });
    await runs.seed('k1b', 30);
    stage.hold(() => false);
    const started = await runs.start({ set: 'k1b', dispatch, maxConcurrency: 10 });
    await stage.waitFor({ ended: 0, inFlight: 10 });
    await pause(started);
    stage.open();
    await runs.progressed(started, 'the first page ended', ({ succeeded, inFlight }) => succeeded === 10 && inFlight === 0);
    expect(stage.starts).toHaveLength(10);
    await runs.control('resume', started.workflowId);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 30, pages: 3, remaining: 0 });
  });
});

describe.each(DISPATCHES)('abort, dispatch %s', (dispatch) => {
  test('K2: aborted while paused at 47 done, a run of 120 leaves 73', async () => {
    const done = DONE[dispatch];
    await prepare({ contract: PLANS[dispatch] });
    await runs.seed('k2', 120);
    stage.hold(upTo(done));
    const started = await runs.start({ set: 'k2', dispatch, maxConcurrency: 10 });
    await stage.waitFor({ ended: done, inFlight: 10 });
    await pause(started);
    stage.releaseWaiting();
    await stage.waitFor({ ended: done + 10, inFlight: 0 });
    await runs.progressed(started, 'ten more items counted', ({ succeeded }) => succeeded === done + 10);
    expect(await runs.control('abort', started.workflowId, 'enough')).toMatchObject({ accepted: true, state: 'aborting' });
    const result = await runs.result(started);
    expect(result).toMatchObject({
      success: false,
      outcome: 'aborted',
      cancelled: true,
      succeeded: done + 10,
      interrupted: 0,
      remaining: 110 - done,
    });
    expect(result.message).toBe(`Aborted: ${done + 10} of 120 items processed`);
    expect(stage.starts).toHaveLength(done + 10);
  });

  test('K3: aborted at 60 done and 10 in flight, a run says 60, 0 failed and 10 interrupted, and a plain start processes the other 60', async () => {
    await prepare({ contract: PLANS[dispatch] });
    await runs.seed('k3', 120);
    stage.hold(upTo(60));
    const started = await runs.start({ set: 'k3', dispatch, maxConcurrency: 10 });
    await stage.waitFor({ ended: 60, inFlight: 10 });
    const abortedAt = performance.now();
    await runs.control('abort', started.workflowId);
    const result = await runs.result(started);
    expect(performance.now() - abortedAt).toBeLessThan(25_000);
    expect(result).toMatchObject({ outcome: 'aborted', cancelled: true, succeeded: 60, failed: 0, interrupted: 10, remaining: 60 });
    expect(stage.starts).toHaveLength(70);
    expect(await runs.runRow(started)).toMatchObject({ outcome: 'aborted', succeeded: 60, interrupted: 10 });
    stage.open();
    expect(await runs.run({ set: 'k3', dispatch })).toMatchObject({ outcome: 'completed', toProcess: 60, alreadyProcessed: 60, succeeded: 60 });
    expect((await runs.ledger('k3')).filter(({ state, attempts }) => state === 'done' && attempts === 1)).toHaveLength(120);
  });
});

test('K2: a run of 120 aborted before its first page executes nothing and leaves 120', async () => {
  let [isOpening, mayOpen] = [false, (): void => undefined];
  const opened = new Promise<void>((resolve) => (mayOpen = resolve));
  await prepare({ markRunning: () => ((isOpening = true), opened) });
  await runs.seed('k2-early', 120);
  const started = await runs.start({ set: 'k2-early' });
  await waitUntil({ what: 'the run being opened', timeoutMs: 40_000, probe: async () => isOpening });
  await runs.control('abort', started.workflowId);
  mayOpen();
  const result = await runs.result(started);
  expect(result).toMatchObject({ outcome: 'aborted', cancelled: true, totalEligible: 120, succeeded: 0, remaining: 120, pages: 0 });
  expect(stage.starts).toHaveLength(0);
});

test('a run aborted before it was counted has no counts and leaves no row', async () => {
  await prepare({}, 0);
  await runs.seed('early', 20);
  const started = await runs.start({ set: 'early' });
  await runs.handle(started).signal('abort');
  await rig.startWorker();
  const result = await runs.result(started);
  expect(result).toMatchObject({ outcome: 'aborted', cancelled: true, succeeded: 0, pages: 0 });
  expect(result).not.toHaveProperty('totalEligible');
  expect(await runs.runRow(started)).toBeUndefined();
});

test('an abort is idempotent, and an aborting run takes neither pause nor resume', async () => {
  let mayEnd = (): void => undefined;
  const ending = new Promise<void>((resolve) => (mayEnd = resolve));
  await prepare({ behave: async () => (await ending, { kind: 'done' }) });
  await runs.seed('twice', 1);
  const started = await runs.start({ set: 'twice' });
  await stage.waitFor({ ended: 0, inFlight: 1 });
  const ask = (verb: string): Promise<unknown> => runs.handle(started).executeUpdate(verb, { args: [{}] });
  expect([await ask('abort'), await ask('abort'), await ask('pause'), await ask('resume')]).toEqual([
    { accepted: true, state: 'aborting' },
    { accepted: true, state: 'aborting' },
    { accepted: false, state: 'aborting' },
    { accepted: false, state: 'aborting' },
  ]);
  mayEnd();
  expect(await runs.result(started)).toMatchObject({ outcome: 'aborted', succeeded: 1, interrupted: 0, remaining: 0 });
});

test('K5: an abort while a chunk of 20 has started 5 lets the other 15 never start', async () => {
  await prepare();
  await runs.seed('k5', 40);
  stage.hold(() => false);
  const started = await runs.start({ set: 'k5', maxConcurrency: 10 });
  await stage.waitFor({ ended: 0, inFlight: 10 });
  expect(stage.starts.filter((itemId) => seqOf(itemId) <= 20)).toHaveLength(5);
  await runs.control('abort', started.workflowId);
  expect(await runs.result(started)).toMatchObject({ outcome: 'aborted', succeeded: 0, interrupted: 10, remaining: 40 });
  expect(stage.starts).toHaveLength(10);
});
