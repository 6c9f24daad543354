import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ItemFailure, itemFailure } from '../../activities/runner/failures.ts';
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
const IS_FULL = process.env['STRATA_TEST_FULL'] === '1';

const prepare = async (input: StageInput = {}): Promise<void> => {
  stage = createStage(input);
  rig = await createRig({ activities: stage.createActivities });
  runs = createProbeRuns(rig);
};

/** Items up to this number are refused by their provider at once, all others are done. */
const failUpTo = (last: number): StageInput => ({
  behave: async ({ itemId }) => {
    if (seqOf(itemId) <= last) throw itemFailure('ProviderRefused', 'refused');
    return { kind: 'done' };
  },
});

afterEach(() => rig.close());

describe.each(DISPATCHES)('failure threshold, dispatch %s', (dispatch) => {
  test('K8: five failures are within {count: 5}', async () => {
    await prepare(failUpTo(5));
    await runs.seed('k8-5', 40);
    const result = await runs.run({ set: 'k8-5', dispatch, failureThreshold: { count: 5 } });
    expect(result).toMatchObject({ outcome: 'completedWithFailures', succeeded: 35, failed: 5, message: 'Processed 40 items, 5 failed' });
  });

  test('K8: six failures exceed {count: 5}: the run fails and names the counters', async () => {
    await prepare(failUpTo(6));
    await runs.seed('k8-6', 40);
    const started = await runs.start({ set: 'k8-6', dispatch, failureThreshold: { count: 5 }, maxConcurrency: 1 });
    const failure = await runs.failure(started);
    expect(failure).toMatchObject({ type: 'FailureThresholdExceeded', message: '6 of 40 items failed', nonRetryable: true });
    expect(failure.details?.[0]).toMatchObject({ succeeded: 0, failed: 6, remaining: 34 });
    expect(stage.starts).toHaveLength(6);
    expect(await runs.runRow(started)).toMatchObject({ outcome: 'failed', failed: 6, finishedAt: expect.any(String) });
  });

  test('K9: twelve of 120 failures are within {share: 0.1}', async () => {
    await prepare(failUpTo(12));
    await runs.seed('k9-12', 120);
    const result = await runs.run({ set: 'k9-12', dispatch, failureThreshold: { share: 0.1 } });
    expect(result).toMatchObject({ outcome: 'completedWithFailures', succeeded: 108, failed: 12 });
  });

  test('K9: the thirteenth of 120 failures with ten others in flight lets those end and starts no more', async () => {
    await prepare({ ...failUpTo(13), contract: varyProbe({ plan: { pageSize: 120, chunkSize: dispatch === 'item' ? 120 : 1 } }) });
    await runs.seed('k9-13', 120);
    stage.hold((itemId) => seqOf(itemId) <= 12);
    const started = await runs.start({ set: 'k9-13', dispatch, maxConcurrency: dispatch === 'item' ? 11 : 8, failureThreshold: { share: 0.1 } });
    const inFlight = dispatch === 'item' ? 11 : 8;
    await stage.waitFor({ ended: 12, inFlight });
    stage.hold((itemId) => seqOf(itemId) === 13);
    stage.releaseWaiting();
    const failure = await runs.failure(started);
    const succeeded = inFlight - 1;
    expect(failure).toMatchObject({ type: 'FailureThresholdExceeded', message: '13 of 120 items failed' });
    expect(failure.details?.[0]).toMatchObject({ succeeded, failed: 13, interrupted: 0, remaining: 120 - 13 - succeeded });
    expect(stage.starts).toHaveLength(12 + inFlight);
  });
});

test('a run that stops at its threshold does not wait for items of a slice that wait for their next attempt', async () => {
  await prepare({
    behave: async ({ itemId }) => {
      if (seqOf(itemId) === 1) throw new ItemFailure({ type: 'RateLimited', message: 'later', retryable: true, retryAfterSeconds: 60 });
      throw itemFailure('ProviderRefused', 'refused');
    },
    contract: varyProbe({ plan: { chunkSize: 1, chunksInFlight: 1 } }),
  });
  await runs.seed('waits', 3);
  const startedAt = performance.now();
  const started = await runs.start({ set: 'waits', dispatch: 'slice', failureThreshold: { count: 0 } });
  expect(await runs.failure(started)).toMatchObject({ type: 'FailureThresholdExceeded', message: '1 of 3 items failed' });
  expect(performance.now() - startedAt).toBeLessThan(50_000);
  expect(stage.starts.map(seqOf)).toEqual([1, 2]);
});

test('K6: `temporal workflow cancel` ends a run Canceled, counts no item as failed and releases the claims', async () => {
  await prepare();
  await runs.seed('k6', 120);
  stage.hold((itemId) => seqOf(itemId) <= 15);
  const started = await runs.start({ set: 'k6', maxConcurrency: 10 });
  await stage.waitFor({ ended: 15, inFlight: 10 });
  const words = ['workflow', 'cancel', '--workflow-id', started.workflowId, '--address', rig.servers.temporalAddress, '--namespace', rig.namespace];
  await promisify(execFile)(rig.servers.temporalBinary, words, { env: { TEMPORAL_CONFIG_FILE: '/dev/null', HOME: process.env['HOME'] ?? '/' } });
  const ended: unknown = await runs.result(started).catch((error: unknown) => error);
  expect((ended as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  expect((await rig.client.workflow.getHandle(started.workflowId).describe()).status.name).toBe('CANCELLED');
  expect(await runs.runRow(started)).toMatchObject({
    outcome: 'canceled',
    succeeded: 15,
    failed: 0,
    interrupted: 10,
    finishedAt: expect.any(String),
  });
  const states = (await runs.ledger('k6')).map(({ state }) => state);
  expect(states.filter((state) => state === 'done')).toHaveLength(15);
  expect(states.filter((state) => state === 'open')).toHaveLength(10);
  stage.open();
  expect(await runs.run({ set: 'k6' })).toMatchObject({ outcome: 'completed', toProcess: 105, succeeded: 105 });
});

test(
  'K4: an abort sent while a run is about to continue as new, again and again: no run after it starts an item',
  async () => {
    const rounds = IS_FULL ? 200 : 20;
    await prepare({ contract: varyProbe({ plan: { eventBudget: 1, pageSize: 2, chunkSize: 2, pagesAhead: 0 } }) });
    for (let round = 0; round < rounds; round++) {
      const set = `k4-${round}`;
      await runs.seed(set, 10);
      const before = stage.starts.length;
      // The last item of the first page ends while the abort is under way: it arrives before, in, or after the very task that continues as new.
      stage.hold((itemId) => seqOf(itemId) !== 2);
      const started = await runs.start({ set });
      await stage.waitFor({ ended: before + 1, inFlight: 1 });
      stage.hold((itemId) => seqOf(itemId) <= 2);
      const aborting = runs.handle(started).signal('abort');
      stage.releaseWaiting();
      await aborting;
      const abortedAt = stage.starts.length;
      const result = await runs.result(started);
      expect(result).toMatchObject({ outcome: 'aborted', cancelled: true, failed: 0 });
      expect(result.succeeded + result.interrupted).toBe(stage.starts.length - before);
      // What had been scheduled when the abort arrived may have been on its way to a worker, nothing else.
      expect(stage.starts.length - abortedAt).toBeLessThanOrEqual(2);
      expect(await runs.runRow(started)).toMatchObject({ outcome: 'aborted' });
    }
  },
  IS_FULL ? 1_200_000 : 180_000,
);
