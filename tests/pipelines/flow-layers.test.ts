import { afterEach, expect, test } from 'vitest';
import { ItemFailure } from '../../activities/runner/failures.ts';
import { itemNames, createTrialRig } from './trial.ts';
import type { TrialRig } from './trial.ts';
import { pick, readChain } from './histories.ts';

let trials: TrialRig;
afterEach(() => trials.rig.close(), 120_000);

const second = (time: unknown): number => {
  const { seconds, nanos } = time as { seconds?: { toNumber(): number } | null; nanos?: number | null };
  return (seconds?.toNumber() ?? 0) + (nanos ?? 0) / 1e9;
};

test('F3: pages are listed no faster than the layer allows: ten listings at five a second', async () => {
  trials = await createTrialRig(
    { limits: { process: 'unlimited', paginate: { parallelism: 20, ratePerSecond: 5 }, execute: 'unlimited' } },
    { isLimited: true },
  );
  trials.declare('f3', { items: 200, plan: { pageSize: 20, pagesAhead: 10 } });
  const started = await trials.start('f3');
  expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 200, pages: 10 });
  const chain = await readChain(trials.rig, started.workflowId, started.runId);
  const events = chain.flatMap((run) => run.events);
  const listed = new Set(
    events
      .filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'probe.listPage')
      .map(({ eventId }) => String(eventId)),
  );
  const ends = events
    .filter((event) => listed.has(String(event.activityTaskCompletedEventAttributes?.scheduledEventId)))
    .map(({ eventTime }) => second(eventTime));
  expect(ends).toHaveLength(10);
  expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThanOrEqual(1.7);
});

test('one entry at a time: the second start waits for the permit of the process layer and gets it', async () => {
  trials = await createTrialRig(
    { limits: { process: { parallelism: 1, ratePerSecond: 5 }, paginate: 'unlimited', execute: 'unlimited' } },
    { isLimited: true },
  );
  const sets = ['one', 'two', 'three'];
  for (const set of sets) trials.declare(set, { items: 2 });
  const results = await Promise.all(sets.map((set) => trials.run(set)));
  expect(results.map(({ succeeded }) => succeeded)).toEqual([2, 2, 2]);
});

test('F9: a provider that says Retry-After holds the key: nothing starts meanwhile, no attempt is used up, all is done in the end', async () => {
  trials = await createTrialRig({ limits: { process: 'unlimited', paginate: 'unlimited', execute: { parallelism: 2 } } }, { isLimited: true });
  const startedAt: number[] = [];
  let told = 0;
  trials.declare('held', {
    items: 12,
    execute: async ({ itemId, attempt }) => {
      startedAt.push(performance.now());
      expect(attempt).toBe(1);
      if (itemId === itemNames(3, 3)[0] && told === 0) {
        told = performance.now();
        throw new ItemFailure({ type: 'RateLimited', message: 'slow down', retryable: true, retryAfterSeconds: 3 });
      }
      return { kind: 'done' };
    },
  });
  expect(await trials.run('held')).toMatchObject({ outcome: 'completed', succeeded: 12 });
  const after = startedAt.filter((at) => at > told + 1_000).map((at) => at - told);
  expect(Math.min(...after)).toBeGreaterThan(2_900);
});

test('F6: with ten slots and ten items that hold the permits, the forty that wait use no slot, and all end', async () => {
  trials = await createTrialRig(
    { limits: { process: 'unlimited', paginate: 'unlimited', execute: { parallelism: 10 } } },
    { isLimited: true, worker: { maxConcurrentActivityTaskExecutions: 10 } },
  );
  const gate = Promise.withResolvers<void>();
  trials.declare('f6', { items: 50, execute: async () => gate.promise.then(() => ({ kind: 'done' as const })) });
  const started = await trials.start('f6');
  await expect.poll(() => trials.executed('f6').length, { timeout: 30_000 }).toBe(10);
  const pending: number[] = [];
  const query = `TaskQueue = '${trials.rig.taskQueue}' and ExecutionStatus = 'Running'`;
  for await (const { workflowId } of trials.rig.client.workflow.list({ query })) {
    const { raw } = await trials.rig.client.workflow.getHandle(workflowId).describe();
    pending.push((raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === 'probe.executeItem').length);
  }
  expect(pending.reduce((sum, count) => sum + count, 0)).toBe(10);
  gate.resolve();
  expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 50 });
});

test('a run that is paused gives its idle permits back, and goes on when it is resumed', async () => {
  trials = await createTrialRig({ limits: { process: 'unlimited', paginate: 'unlimited', execute: { parallelism: 2 } } }, { isLimited: true });
  const gate = Promise.withResolvers<void>();
  trials.declare('paused', { items: 20, execute: async () => gate.promise.then(() => ({ kind: 'done' as const })) });
  const started = await trials.start('paused');
  await expect.poll(() => trials.executed('paused').length, { timeout: 30_000 }).toBe(2);
  await trials.pipelines.control('pause', started.workflowId);
  gate.resolve();
  trials.declare('other', { items: 3 });
  expect(await trials.run('other')).toMatchObject({ succeeded: 3 });
  await trials.pipelines.control('resume', started.workflowId);
  expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 20 });
  expect(pick(await readChain(trials.rig, started.workflowId, started.runId), 'workflowExecutionUpdateAcceptedEventAttributes')).toHaveLength(2);
});
