import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import type { StrataEnv, StrataProcess } from '../../packages/testing/strata-process.ts';
import { startWorkerProcess } from '../../packages/testing/worker-process.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

const WINDOW = 20;
const INPUTS = [
  { dispatch: 'item', pageSize: 100, chunkSize: 10, maxConcurrency: WINDOW },
  { dispatch: 'slice', pageSize: 100, chunkSize: 20, maxConcurrency: WINDOW },
];

let rig: Rig;
let runs: ProbeRuns;
let workers: StrataProcess[];

const startWorker = async (env: StrataEnv = {}): Promise<StrataProcess> => {
  const worker = await startWorkerProcess(rig, env);
  workers.push(worker);
  return worker;
};

const count = async (condition: string, values: readonly unknown[] = []): Promise<number> =>
  (await rig.pool.query<{ n: number }>(`select count(*)::int as n from ${condition}`, [...values])).rows[0]!.n;

const until = (what: string, probe: () => Promise<boolean>): Promise<void> => waitUntil({ what, timeoutMs: 120_000, everyMs: 10, probe });

/** The worker that has most in flight. */
const busiest = async (): Promise<StrataProcess> => {
  const { rows } = await rig.pool.query<{ pid: number }>(
    `select split_part(worker, '@', 1)::int as pid from pipeline_items order by state = 'claimed' desc, claimed_at desc limit 1`,
  );
  return workers.find(({ pid }) => pid === rows[0]?.pid)!;
};

/** Ends a worker in an orderly way: it says that it did, and keeps neither its lease nor a claim. */
const drain = async (worker: StrataProcess): Promise<void> => {
  worker.kill('SIGTERM');
  expect(await worker.exited).toMatchObject({ code: 0, signal: null });
  const owner = [`${worker.pid}@%`];
  expect(await count('worker_leases where identity like $1', owner)).toBe(0);
  expect(await count(`pipeline_items where state = 'claimed' and worker like $1`, owner)).toBe(0);
};

beforeEach(async () => {
  workers = [];
  rig = await createRig({ workers: 0 });
  runs = createProbeRuns(rig);
});

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await rig.close();
});

describe.each(INPUTS)('SIGTERM in mid-run, dispatch $dispatch', (input) => {
  test('to one of two worker processes: its items end there, each item is executed once and nothing is left to reap', async () => {
    for (const _ of [1, 2]) await startWorker();
    await runs.seed('drained', 300, { sleepMs: 40 });
    const started = await runs.start({ set: 'drained', ...input });
    await until('a third of the items done', async () => (await count(`pipeline_items where state = 'done'`)) >= 100);
    const first = await busiest();
    await drain(first);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 300, failed: 0 });
    expect(await runs.report('drained')).toMatchObject({ done: 300, executions: 300, duplicates: 0 });
    const second = workers.find((worker) => worker !== first)!;
    await drain(second);
    expect((await second.exited).stderr).not.toContain('reaped');
  });

  test('to the only worker process: the next one goes on where it ended', async () => {
    const first = await startWorker();
    await runs.seed('handed on', 200, { sleepMs: 20 });
    const started = await runs.start({ set: 'handed on', ...input });
    await until('a third of the items done', async () => (await count(`pipeline_items where state = 'done'`)) >= 66);
    await drain(first);
    await startWorker();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 200, failed: 0 });
    expect(await runs.report('handed on')).toMatchObject({ done: 200, executions: 200, duplicates: 0 });
  });

  test('while items outlast its grace: they are handed back, and their end elsewhere counts as the first attempt', async () => {
    const first = await startWorker({ STRATA_SHUTDOWN_GRACE_SECONDS: '1' });
    await runs.seed('long', 10, { sleepMs: 5_000 });
    const started = await runs.start({ set: 'long', ...input });
    await until('all items in flight', async () => (await count('probe_executions')) === 10);
    await startWorker();
    await drain(first);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 10, failed: 0 });
    expect(await count('probe_executions where succeeded')).toBe(10);
    expect((await runs.ledger('long')).map(({ attempts }) => attempts)).toEqual(Array(10).fill(1));
  });
});
