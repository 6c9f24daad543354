import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITER_METRICS, PIPELINE_EVENTS, PIPELINE_METRICS } from '../../packages/contracts/metrics.ts';
import { saveFlowChange } from '../../packages/database/flow-settings.ts';
import { seedProbe } from '../../packages/database/probe-store.ts';
import type { ProbeSeed } from '../../packages/database/probe-store.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { scrape, sumOf } from '../../packages/testing/prometheus-text.ts';
import type { Sample } from '../../packages/testing/prometheus-text.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { runStrata } from '../../packages/testing/strata-process.ts';
import type { StrataExit, StrataProcess } from '../../packages/testing/strata-process.ts';
import { rigEnv, startWorkerProcess } from '../../packages/testing/worker-process.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig({ workers: 0 });
});
afterAll(() => rig.close());

const run = async (set: string, more: object = {}, seed: Partial<ProbeSeed> = {}): Promise<{ readonly runId: string; readonly outcome: string }> => {
  await seedProbe(rig.db, { set, items: 12, sleepMs: 0, failEvery: null, failTimes: null, ...seed });
  const { stdout } = await runStrata(
    ['run', 'probe', '--json', '--wait', '--queue', rig.taskQueue, '--input', JSON.stringify({ set, ...more })],
    rigEnv(rig),
  );
  return JSON.parse(stdout) as { runId: string; outcome: string };
};

const SLICES = { dispatch: 'slice', pageSize: 12, chunkSize: 6 };

describe('a worker with STRATA_METRICS_ADDRESS and STRATA_HEALTH_ADDRESS', () => {
  let worker: StrataProcess;
  let [metrics, health] = ['', ''];
  beforeAll(async () => {
    [metrics, health] = [`127.0.0.1:${await getPort()}`, `127.0.0.1:${await getPort()}`];
    worker = await startWorkerProcess(rig, { STRATA_METRICS_ADDRESS: metrics, STRATA_HEALTH_ADDRESS: health });
  });
  afterAll(async () => {
    worker.kill('SIGTERM');
    await worker.exited;
  });

  test('serves the metrics of the SDK and counts items and their retries alike in both ways of dispatch', async () => {
    await Promise.all([
      run('metrics-items', { pageSize: 12, chunkSize: 6 }, { failEvery: 6, failTimes: 1 }),
      run('metrics-slices', SLICES, { failEvery: 6, failTimes: 1 }),
    ]);
    const samples = await scrape(metrics);
    expect(sumOf(samples, PIPELINE_METRICS.items, { pipeline: 'probe', outcome: 'done' })).toBe(24);
    expect(sumOf(samples, PIPELINE_METRICS.items)).toBe(24);
    const event = { pipeline: 'probe', layer: 'execute', operation: 'item' };
    expect(sumOf(samples, PIPELINE_EVENTS, { ...event, status: 'success' })).toBe(24);
    expect(sumOf(samples, PIPELINE_EVENTS, { ...event, status: 'deferred' })).toBe(4);
    // Two items of each run were tried twice.
    expect(sumOf(samples, PIPELINE_METRICS.itemRetries)).toBe(4);
    for (const histogram of [PIPELINE_METRICS.itemAttempt, PIPELINE_METRICS.itemDuration]) expect(sumOf(samples, `${histogram}_count`)).toBe(28);
    expect(sumOf(samples, `${PIPELINE_METRICS.itemQueueWait}_count`)).toBeGreaterThan(12);
    expect(sumOf(samples, 'temporal_workflow_completed', { workflow_type: 'probe' })).toBe(2);
    expect(sumOf(samples, 'temporal_worker_task_slots_available', { worker_type: 'ActivityWorker' })).toBeGreaterThan(0);
  });

  test('shows items in flight while they run, and none afterwards', async () => {
    const inFlight = async (): Promise<number> => sumOf(await scrape(metrics), PIPELINE_METRICS.itemsInFlight, { pipeline: 'probe' });
    const running = run('metrics-flight', { ...SLICES, maxConcurrency: 6 }, { sleepMs: 1_000 });
    await waitUntil({ what: 'six items in flight', timeoutMs: 30_000, probe: async () => (await inFlight()) === 6 });
    await running;
    expect(await inFlight()).toBe(0);
  });

  test('counts what limiters grant, by the key that a contract declares; keys made at run time share one series', async () => {
    const key = `${rig.taskQueue}/squareNumber.execute`;
    await saveFlowChange(rig.db, { key, limit: { parallelism: 3, ratePerSecond: 50 } });
    const words = ['run', 'square-number', '--json', '--wait', '--queue', rig.taskQueue, '--input', '{"name":"granted","upTo":6}'];
    const [squares] = await Promise.all([
      runStrata(words, rigEnv(rig)),
      run('metrics-key', { ...SLICES, flowKey: 'metrics-key', parallelism: 3 }),
      run('metrics-other-key', { ...SLICES, flowKey: 'metrics-other-key', parallelism: 3 }),
    ]);
    expect(JSON.parse(squares.stdout)).toMatchObject({ outcome: 'completed', succeeded: 5, skipped: 1 });
    const samples = await scrape(metrics);
    expect(sumOf(samples, LIMITER_METRICS.grants, { key })).toBeGreaterThanOrEqual(3);
    expect(sumOf(samples, LIMITER_METRICS.starts, { key })).toBeGreaterThanOrEqual(6);
    expect(sumOf(samples, LIMITER_METRICS.grants, { key: 'other' })).toBeGreaterThanOrEqual(6);
    const keys = samples.filter(({ name }) => name === LIMITER_METRICS.grants).map(({ labels }) => labels['key']);
    expect(new Set(keys)).toEqual(new Set([key, 'other']));
  });

  test('puts no id into a label, so that series stay few', async () => {
    const samples = (await scrape(metrics)).filter(({ name }) => name.startsWith('strata_'));
    const isId = ({ labels }: Sample): boolean => /metrics-|item-0|[0-9a-f]{8}-[0-9a-f]{4}/.test(Object.values(labels).join(' '));
    expect(samples.length).toBeGreaterThan(20);
    expect(samples.filter(isId)).toEqual([]);
    expect(samples.length).toBeLessThan(150);
  });

  test('tells probes that it is alive and ready', async () => {
    expect((await fetch(`http://${health}/livez`)).status).toBe(200);
    const ready = await fetch(`http://${health}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { workers: true, database: true }]);
  });

  test('says which address another process has taken, and ends', async () => {
    const other = await runStrata(['worker', '--queues', rig.taskQueue], {
      ...rigEnv(rig),
      STRATA_WORKFLOW_BUNDLE: rig.servers.bundlePath,
      STRATA_METRICS_ADDRESS: metrics,
    });
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining(`metrics cannot be served on ${metrics}`)]);
  });
});

describe('the log of a worker', () => {
  type Entry = Readonly<Record<string, unknown>>;

  /** A run's log: entries of a worker that did nothing else. */
  const logOf = async (set: string, env: Record<string, string>, more: object, seed: Partial<ProbeSeed>): Promise<StrataExit & { runId: string }> => {
    const worker = await startWorkerProcess(rig, env);
    const { runId } = await run(set, more, seed);
    worker.kill('SIGTERM');
    return { ...(await worker.exited), runId };
  };
  const parse = (stderr: string): Entry[] =>
    stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
  const ours = (entries: readonly Entry[]): readonly Entry[] => entries.filter(({ message }) => String(message).startsWith('[probe:'));

  test('is one JSON object a line where no terminal reads it, with the fields that find a run, and no line per item', async () => {
    const { stderr, runId } = await logOf('log-info', {}, { ...SLICES, pageSize: 6 }, { failEvery: 6, failTimes: 1 });
    const entries = ours(parse(stderr));
    expect(entries.map(({ message }) => message)).toEqual([
      '[probe:process] Starting with payload:',
      '[probe:process] Triggered pagination for 12 items',
      '[probe:paginate] Processing items:',
      '[probe:paginate] Completed:',
      '[probe:paginate] Processing items:',
      '[probe:paginate] Completed:',
      '[probe:process] Completed:',
    ]);
    for (const entry of entries) {
      expect(entry).toMatchObject({ pipeline: 'probe', runId, level: 'INFO', workflowId: 'probe/log-info' });
      expect(entry['layer']).toBe(/:(\w+)\]/.exec(String(entry['message']))?.[1]);
      expect(Date.parse(String(entry['time']))).toBeGreaterThan(Date.now() - 300_000);
    }
    expect(entries.at(-1)).toMatchObject({ outcome: 'completed', succeeded: 12, failed: 0 });
  });

  test('tells of each item at DEBUG, once, though the workflow is replayed', async () => {
    const env = { STRATA_LOG_LEVEL: 'DEBUG', STRATA_CACHED_WORKFLOWS: '1' };
    const { stderr } = await logOf('log-debug', env, { pageSize: 12, chunkSize: 3 }, {});
    const started = ours(parse(stderr)).filter(({ message }) => message === '[probe:execute] Starting with payload:');
    expect(new Set(started.map(({ itemId }) => itemId)).size).toBe(12);
    expect(started).toHaveLength(12);
    expect(started[0]).toMatchObject({ level: 'DEBUG', layer: 'execute', itemAttempt: 1 });
  });

  test('is text where it is asked for', async () => {
    const { stderr } = await logOf('log-text', { STRATA_LOG_FORMAT: 'text' }, SLICES, {});
    expect(stderr).toMatch(/\[INFO\] \[probe:process\] Completed: \{/);
  });
});

test('names of metrics follow the conventions of Prometheus', () => {
  for (const name of [...Object.values(PIPELINE_METRICS), ...Object.values(LIMITER_METRICS)]) expect(name).toMatch(/^strata_[a-z_]+$/);
});
