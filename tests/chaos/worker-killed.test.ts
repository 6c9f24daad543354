import { afterEach, describe, expect, test } from 'vitest';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { startProvider } from '../../packages/testing/provider.ts';
import type { Provider, ProviderAnswer, ProviderCall } from '../../packages/testing/provider.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { seqOf } from '../../packages/testing/stage.ts';
import { startStageProcess } from '../../packages/testing/stage-process.ts';
import type { StageProcess } from '../../packages/testing/stage-process.ts';
import { WORKER_DIED } from '../../packages/runtime/dead-activities.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

const DISPATCHES = ['item', 'slice'] as const;
// No time-out ends soon enough to help: what a dead worker had under way goes on because a survivor reaps it.
const CONTRACT = { plan: { heartbeatTimeoutMs: 600_000, itemTimeoutMs: 600_000 }, retry: { firstWaitMs: 100 } };
const OK: ProviderAnswer = { status: 200 };

let rig: Rig;
let runs: ProbeRuns;
let provider: Provider;
let workers: StageProcess[];

const never = new Promise<never>(() => undefined);

const prepare = async (answer: (call: ProviderCall) => Promise<ProviderAnswer>): Promise<void> => {
  workers = [];
  rig = await createRig({ workers: 0 });
  runs = createProbeRuns(rig);
  provider = await startProvider({ answer });
};

const startWorker = async (more: { readonly preflightUrl?: string } = {}): Promise<StageProcess> => {
  const worker = await startStageProcess(rig, { providerUrl: provider.url, contract: CONTRACT, ...more });
  workers.push(worker);
  return worker;
};

const kill = async (worker: StageProcess): Promise<void> => {
  worker.kill('SIGKILL');
  expect(await worker.exited).toBe('SIGKILL');
};

const until = (what: string, probe: () => boolean | Promise<boolean>): Promise<void> =>
  waitUntil({ what, timeoutMs: 100_000, probe: async () => probe() });

const countDone = async (set: string): Promise<number> => (await runs.ledger(set)).filter(({ state }) => state === 'done').length;

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await rig.close();
  await provider.close();
});

describe.each(DISPATCHES)('a worker killed with -9, dispatch %s', (dispatch) => {
  test('C3: killed in mid-chunk, the chunk goes on elsewhere and each of its items is done once', async () => {
    let dying: number | null = null;
    await prepare(async ({ itemId, pid }) => (pid === dying && seqOf(itemId) % 2 === 0 ? never : OK));
    const first = await startWorker();
    dying = first.pid;
    await runs.seed('c3', 40);
    const started = await runs.start({ set: 'c3', dispatch, maxConcurrency: 40 });
    await until('half of the items done', async () => (await countDone('c3')) >= 10);
    await startWorker();
    await kill(first);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 40, failed: 0, remaining: 0 });
    expect(await countDone('c3')).toBe(40);
    expect(provider.charges.size).toBe(40);
    const answeredFirst = provider.calls.filter(({ pid, itemId }) => pid === dying && seqOf(itemId) % 2 === 1).map(({ itemId }) => itemId);
    const again = provider.calls.filter(({ pid, itemId }) => pid !== dying && answeredFirst.includes(itemId));
    // Only what was under way at the kill may have been called a second time.
    expect(again.length).toBeLessThanOrEqual(2);
  });

  test('I5: killed after the provider had recorded the charge, the retry sends the same key and gets the stored answer: one charge', async () => {
    let dying: number | null = null;
    await prepare(async ({ pid }) => (pid === dying ? never : OK));
    const first = await startWorker();
    dying = first.pid;
    await runs.seed('i5', 1);
    const started = await runs.start({ set: 'i5', dispatch });
    await until('the charge being recorded', () => provider.charges.size === 1);
    await kill(first);
    await startWorker();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 1 });
    expect([...provider.charges]).toEqual([['probe/i5/e1/item-0000001', { charge: 1 }]]);
    expect(provider.calls.map(({ key, attempt }) => [key, attempt])).toEqual([
      ['probe/i5/e1/item-0000001', 1],
      ['probe/i5/e1/item-0000001', 2],
    ]);
    expect(await runs.ledger('i5')).toEqual([expect.objectContaining({ state: 'done', attempts: 2, result: { charge: 1 } })]);
  });

  test('I4: a worker frozen past its lease wakes up to a claim that was taken over: its late write is refused', async () => {
    let wake = (_answer: ProviderAnswer): void => undefined;
    const late = new Promise<ProviderAnswer>((resolve) => (wake = resolve));
    let frozen: number | null = null;
    await prepare(({ pid }) => (pid === frozen ? late : Promise.resolve({ status: 200, body: { by: 'second' } })));
    const first = await startWorker();
    frozen = first.pid;
    await runs.seed('i4', 1);
    const started = await runs.start({ set: 'i4', dispatch });
    await until('the item being called', () => provider.calls.length === 1);
    first.kill('SIGSTOP');
    await startWorker();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 1 });
    wake({ status: 200, body: { by: 'first' } });
    first.kill('SIGCONT');
    await until('the late answer being handed over', () => provider.answered() === 2);
    first.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(await runs.ledger('i4')).toEqual([expect.objectContaining({ state: 'done', attempts: 2, result: { by: 'second' } })]);
  });
});

test('an event loop that is blocked for four lease periods is not reaped: nothing is repeated, although another worker is idle', async () => {
  await prepare(async () => ({ status: 200, body: { blockMs: 8_000 } }));
  await runs.seed('blocked', 1);
  for (const _ of [1, 2]) await startWorker();
  expect(await runs.run({ set: 'blocked' })).toMatchObject({ outcome: 'completed', succeeded: 1 });
  expect(provider.calls).toHaveLength(1);
  expect(await runs.ledger('blocked')).toEqual([expect.objectContaining({ state: 'done', attempts: 1 })]);
});

test('C5: a slice of 20 ids killed after 12 are done executes the other 8 and none twice', async () => {
  let dying: number | null = null;
  await prepare(async ({ itemId, pid }) => (pid === dying && seqOf(itemId) > 12 ? never : OK));
  const first = await startWorker();
  dying = first.pid;
  await runs.seed('c5', 20);
  const started = await runs.start({ set: 'c5', dispatch: 'slice' });
  await until('12 items done and 8 in flight', async () => (await countDone('c5')) === 12 && provider.calls.length === 20);
  await kill(first);
  const second = await startWorker();
  expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 20, direct: 20, chunks: 0 });
  const retried = provider.calls.filter(({ pid }) => pid === second.pid).map(({ itemId }) => seqOf(itemId));
  expect(retried.sort((left, right) => left - right)).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
  expect((await runs.ledger('c5')).map(({ attempts }) => attempts)).toEqual([...Array(12).fill(1), ...Array(8).fill(2)]);
});

test('K10: a dry run over what would be 3 pages, its worker killed in between, writes nothing, calls nobody and starts nothing', async () => {
  await prepare(async () => OK);
  let dying: number | null = null;
  const preflight = await startProvider({ answer: async ({ pid }) => (pid === dying ? never : OK) });
  const first = await startWorker({ preflightUrl: preflight.url });
  dying = first.pid;
  await runs.seed('k10', 120);
  const started = await runs.start({ set: 'k10', dryRun: true });
  await until('the preflight being under way', () => preflight.calls.length === 1);
  await kill(first);
  await startWorker({ preflightUrl: preflight.url });
  const result = await runs.result(started);
  await preflight.close();
  expect(result).toMatchObject({ outcome: 'dryRun', dryRun: true, totalEligible: 120, toProcess: 120, pages: 0, chunks: 0, direct: 0 });
  expect(provider.calls).toHaveLength(0);
  for (const table of ['pipeline_epochs', 'pipeline_runs', 'pipeline_items', 'probe_executions'])
    expect((await rig.pool.query(`select from ${table}`)).rowCount).toBe(0);
  const { events = [] } = await runs.handle(started).fetchHistory();
  const activities = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? []);
  expect([...new Set(activities)].sort()).toEqual(['probe.countEligible', 'probe.preflight']);
  expect((events ?? []).some((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toBe(false);
  const attempts = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: begun }) => begun ?? []);
  expect(attempts.map(({ attempt, lastFailure }) => [attempt, lastFailure?.applicationFailureInfo?.type])).toEqual([
    [2, WORKER_DIED],
    [1, undefined],
  ]);
});
