import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { itemFailure } from '../../activities/runner/failures.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createStage, seqOf } from '../../packages/testing/stage.ts';
import type { Stage, StageInput } from '../../packages/testing/stage.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

vi.setConfig({ testTimeout: 180_000 });

let rig: Rig;
let runs: ProbeRuns;
let stage: Stage;

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

const prepare = async (input: StageInput = {}): Promise<void> => {
  stage = createStage(input);
  rig = await createRig({ activities: stage.createActivities });
  runs = createProbeRuns(rig);
};

const eventsOf = async (workflowId: string): Promise<Events> => (await rig.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

const scheduledOf = (events: Events, verb: string) =>
  events.filter(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === `probe.${verb}`);

const summaryOf = ({ userMetadata }: Events[number]): string =>
  userMetadata?.summary ? defaultPayloadConverter.fromPayload<string>(userMetadata.summary) : '';

const idOf = (seq: number): string => `item-${String(seq).padStart(7, '0')}`;

afterEach(() => rig.close());

test('C1: a chunk of 20 ids is 20 activities, each with its item id as summary', async () => {
  await prepare();
  await runs.seed('c1', 40);
  expect(await runs.run({ set: 'c1' })).toMatchObject({ chunks: 2, direct: 0, succeeded: 40 });
  const events = await eventsOf('probe/c1/e1/1/1');
  const summaries = scheduledOf(events, 'executeItem').map(summaryOf);
  expect(summaries.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `probe:execute:${idOf(index + 1)}`));
  expect(scheduledOf(events, 'listPage')).toHaveLength(0);
  const parent = await eventsOf('probe/c1');
  expect(parent.map(summaryOf)).toEqual(expect.arrayContaining(['page 1 · chunk 1 · 20 items', 'page 1 · chunk 2 · 20 items']));
});

describe.each(['item', 'slice'] as const)('a chunk, dispatch %s', (dispatch) => {
  test('C2: item 3 of 20 fails at once: 19 done, 1 failed, nothing stops early', async () => {
    await prepare({
      behave: async ({ itemId }) => {
        if (seqOf(itemId) === 3) throw itemFailure('ProviderRefused', 'HTTP 400');
        return { kind: 'done' };
      },
    });
    await runs.seed('c2', 21);
    const result = await runs.run({ set: 'c2', dispatch, maxConcurrency: 2 });
    expect(result).toMatchObject({
      outcome: 'completedWithFailures',
      succeeded: 20,
      failed: 1,
      remaining: 0,
      message: 'Processed 21 items, 1 failed',
    });
    expect(stage.starts).toHaveLength(21);
    expect((await runs.ledger('c2')).filter(({ state }) => state === 'failed').map(({ itemId }) => itemId)).toEqual([idOf(3)]);
  });

  test('C4: while the slowest item of page 1 still runs, page 3 is in work, and nothing beyond the window of two pages ahead is listed', async () => {
    await prepare();
    await runs.seed('c4', 300);
    stage.hold((itemId) => seqOf(itemId) > 1 && seqOf(itemId) <= 100);
    const started = await runs.start({ set: 'c4', dispatch, maxConcurrency: 12 });
    await waitUntil({ what: 'items of page 3 in work', timeoutMs: 60_000, probe: async () => stage.starts.some((itemId) => seqOf(itemId) > 100) });
    expect((await runs.ledger('c4')).find(({ itemId }) => itemId === idOf(1))).toMatchObject({ state: 'claimed' });
    expect(stage.starts.filter((itemId) => seqOf(itemId) > 200)).toEqual([]);
    expect(scheduledOf(await eventsOf('probe/c4'), 'listPage').length).toBeLessThanOrEqual(4);
    stage.open();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 300, pages: 6 });
    expect(stage.starts).toHaveLength(300);
  });
});

test('lanes that nothing is left for go to the chunks at work: the last items do not wait for each other', async () => {
  await prepare();
  await runs.seed('lent', 40);
  stage.hold((itemId) => seqOf(itemId) <= 22);
  const started = await runs.start({ set: 'lent', maxConcurrency: 10 });
  // Ten lanes were dealt, five a chunk; the first chunk has ended.
  await stage.waitFor({ ended: 22, inFlight: 10 });
  stage.open();
  expect(await runs.result(started)).toMatchObject({ chunks: 2, succeeded: 40 });
});

test('a chunk child that somebody terminates is started again and its ended items are not executed twice', async () => {
  await prepare();
  await runs.seed('ended', 40);
  stage.hold((itemId) => seqOf(itemId) !== 5);
  const started = await runs.start({ set: 'ended' });
  await waitUntil({
    what: 'all but item 5 done',
    timeoutMs: 30_000,
    probe: async () => (await runs.ledger('ended')).filter(({ state }) => state === 'done').length === 39,
  });
  await rig.client.workflow.getHandle('probe/ended/e1/1/1').terminate('by an operator');
  await waitUntil({
    what: 'item 5 being taken up again',
    timeoutMs: 60_000,
    probe: async () => stage.starts.filter((itemId) => seqOf(itemId) === 5).length === 2,
  });
  stage.open();
  expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 40, failed: 0, skipped: 0, chunks: 2 });
  expect(stage.starts).toHaveLength(41);
});
