import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../../packages/runtime/bundle.ts';
import { startAbortSweeper } from '../../packages/runtime/abort-sweeper.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { startWorkerProcess } from '../../packages/testing/worker-process.ts';
import { createCli } from './cli.ts';
import type { Cli } from './cli.ts';
import { countRuns, seedSet } from './ledger.ts';

let rig: Rig | undefined;

afterEach(async () => {
  const last = rig;
  rig = undefined;
  await last?.close();
});

const open = async (...given: Parameters<typeof createRig>): Promise<{ rig: Rig; cli: Cli }> => {
  rig = await createRig(...given);
  return { rig, cli: createCli(rig) };
};

const until = (what: string, probe: () => Promise<boolean>): Promise<void> => waitUntil({ what, timeoutMs: 90_000, everyMs: 200, probe });

const countItems = async ({ pool }: Rig, state: string): Promise<number> => {
  const { rows } = await pool.query<{ found: number }>('select count(*)::int as found from pipeline_items where state = $1', [state]);
  return rows[0]?.found ?? 0;
};

describe('pause, resume, abort', () => {
  test('K1: a paused run says so and starts nothing; resume goes on to the end', async () => {
    const { rig: own, cli } = await open();
    await seedSet(own, 'k1', { items: 5_000, sleepMs: 500 });
    await cli.json('run', 'probe', '--input', '{"set":"k1","maxConcurrency":5}');
    await until('items in flight', async () => (await countItems(own, 'claimed')) > 0);
    expect(await cli.json('pause', 'probe/k1')).toMatchObject({ code: 0, answer: { workflowId: 'probe/k1', accepted: true, state: 'paused' } });
    const pausedAt = Date.now();
    // A reading of the ledger so long after the pause: by then it has reached every chunk, and what was in flight has ended.
    await until('the status says so', async () => {
      const { inFlight, asOf } = (await cli.json('status', 'probe/k1')).answer;
      return inFlight === 0 && Date.parse(String(asOf)) > pausedAt + 2_000;
    });
    const done = await countItems(own, 'done');
    expect((await cli.json('status', 'probe/k1')).answer).toMatchObject({ state: 'paused', toProcess: 5_000, inFlight: 0 });
    expect(await countItems(own, 'done')).toBe(done);
    expect(await cli.json('resume', 'probe/k1')).toMatchObject({ code: 0, answer: { accepted: true, state: 'running' } });
    await until('more items done', async () => (await countItems(own, 'done')) > done);
    expect(await cli.json('abort', 'probe/k1')).toMatchObject({ code: 0, answer: { accepted: true, state: 'aborting' } });
    await until('the run ended', async () => (await cli.json('status', 'probe/k1')).answer['state'] === 'aborted');
  });

  test('K2, K3: abort stops the run; --wait exits 1, status and list say aborted, a second abort exits 2', async () => {
    const { rig: own, cli } = await open();
    await seedSet(own, 'k3', { items: 40, sleepMs: 600_000 });
    const waiting = cli.json('run', 'probe', '--input', '{"set":"k3"}', '--wait');
    await until('items in flight', async () => (await countItems(own, 'claimed')) > 0);
    const answer = await cli.json('abort', 'probe/k3', '--reason', 'enough');
    expect(answer).toMatchObject({ code: 0, answer: { workflowId: 'probe/k3', accepted: true, state: 'aborting' } });
    const ended = await waiting;
    expect(ended.code).toBe(1);
    expect(ended.answer).toMatchObject({ outcome: 'aborted', cancelled: true, success: false, succeeded: 0, failed: 0, remaining: 40 });
    expect((await cli.json('status', 'probe/k3')).answer).toMatchObject({ state: 'aborted', message: 'Aborted: 0 of 40 items processed' });
    const again = await cli.json('abort', 'probe/k3');
    expect(again).toMatchObject({ code: 2 });
    expect(again.stderr).toContain('probe/k3 has already ended (aborted)');
    expect((await cli.json('pause', 'probe/k3')).code).toBe(2);
    expect((await cli.json('abort', 'probe/unknown')).code).toBe(3);
    expect((await cli.json('resume', 'probe/unknown')).code).toBe(3);
    await until('the run in the list', async () => {
      const { answer: listed } = await cli.json('list', '--pipeline', 'probe', '--status', 'aborted');
      return (listed['runs'] as { runId: string }[]).some(({ runId }) => runId === ended.answer['runId']);
    });
  });

  test('K7: an abort of a run whose workflow tasks fail for ever is latched, then enforced: terminated, claims freed, scope free again', async () => {
    const { rig: own, cli } = await open({ workers: 0, replay: false });
    const healthy = await own.startWorker();
    await seedSet(own, 'k7', { items: 30, sleepMs: 600_000 });
    await cli.json('run', 'probe', '--input', '{"set":"k7","maxConcurrency":4}');
    await until('items in flight', async () => (await countItems(own, 'claimed')) > 0);
    await healthy.stop();

    const workflowsPath = fileURLToPath(new URL('fixtures/broken.ts', import.meta.url));
    const bundleDir = await mkdtemp(join(tmpdir(), 'strata-broken-'));
    const { codePath } = await bundleWorkflows({ workflowsPath, bundleDir });
    const broken = await own.startWorker({ workflowBundle: { codePath }, activities: { nothing: async () => undefined } });
    const answer = await cli.json('abort', 'probe/k7');
    expect(answer).toMatchObject({ code: 0, answer: { accepted: true, state: 'aborting', unanswered: true } });
    expect((await cli.json('status', 'probe/k7')).answer).toMatchObject({ state: 'aborting', toProcess: 30 });

    const terminated: string[] = [];
    const faults: unknown[] = [];
    const settings = {
      client: own.client,
      db: own.db,
      everyMs: 100,
      heedWithinMs: 3_600_000,
      onTerminated: ({ workflowId }: { workflowId: string }) => terminated.push(workflowId),
      onError: (error: unknown) => faults.push(error),
    };
    const patient = startAbortSweeper(settings);
    await own.pool.query('select pg_sleep(0.5)');
    await patient.stop();
    expect(terminated, 'an abort younger than the bound is left to the run').toEqual([]);

    const sweepers = [1, 2].map(() => startAbortSweeper({ ...settings, heedWithinMs: 0 }));
    await until('the row closed', async () => terminated.length > 0);
    expect((await cli.json('status', 'probe/k7')).answer).toMatchObject({ state: 'terminated', failure: { type: 'Terminated' }, toProcess: 30 });
    await Promise.all(sweepers.map((sweeper) => sweeper.stop()));
    expect(terminated, 'two sweepers, one termination').toEqual(['probe/k7']);
    expect(faults).toEqual([]);
    expect(await countItems(own, 'claimed')).toBe(0);
    await until(
      'no chunk child left open',
      async () => (await own.client.workflow.count(`TaskQueue = '${own.taskQueue}' and ExecutionStatus = 'Running'`)).count === 0,
    );
    expect(await cli.json('abort', 'probe/k7')).toMatchObject({ code: 0, answer: { accepted: true, state: 'terminated' } });
    expect((await cli.json('list', '--status', 'terminated')).answer['runs']).toEqual(
      expect.arrayContaining([expect.objectContaining({ workflowId: 'probe/k7' })]),
    );

    await broken.stop();
    await own.pool.query("update probe_items set sleep_ms = 0 where probe_set = 'k7'");
    await own.startWorker();
    const next = await cli.json('run', 'probe', '--input', '{"set":"k7"}', '--wait');
    expect(next).toMatchObject({ code: 0, answer: { outcome: 'completed', remaining: 0 } });
    expect(await countRuns(own, 'k7')).toBe(2);
    expect(await countItems(own, 'done')).toBe(30);
  }, 240_000);
});

describe('a queue that nobody serves', () => {
  test('B8: run says queued at once, fails with exit 3 when it waits, and an abort ends the run', async () => {
    const { rig: own, cli } = await open({ workers: 0, replay: false });
    await seedSet(own, 'b8', { items: 1 });
    const started = await cli.json('run', 'probe', '--input', '{"set":"b8"}');
    expect(started.code).toBe(0);
    expect(started.answer).toMatchObject({ workflowId: 'probe/b8', state: 'queued' });
    expect(Date.parse(String(started.answer['noWorkerSince']))).toBeGreaterThan(Date.now() - 600_000);
    const text = await cli.say('status', 'probe/b8');
    expect(text.stdout).toMatch(/^state +queued, no worker since \d{4}-/m);

    await seedSet(own, 'b8w', { items: 1 });
    const waited = await cli.say('run', 'probe', '--input', '{"set":"b8w"}', '--wait', '--worker-within', '1');
    expect(waited.stderr).toMatch(/probe\/b8w is queued, no worker since .*: start one with `strata worker`/);
    expect(waited.code).toBe(3);

    const paused = await cli.json('pause', 'probe/b8');
    expect(paused.stderr).toContain('no worker answered for probe/b8 within 5 s');
    expect(paused.code).toBe(3);
    expect(await cli.json('abort', 'probe/b8')).toMatchObject({ code: 0, answer: { accepted: true, state: 'terminated' } });
    expect((await cli.json('status', 'probe/b8')).answer).toMatchObject({ state: 'terminated' });
    expect(await countRuns(own, 'b8')).toBe(0);
  });

  test('a worker that died is told from one that lives, and the run row tells how far the run had come', async () => {
    const { rig: own, cli } = await open({ workers: 0, replay: false });
    const worker = await startWorkerProcess(own);
    await seedSet(own, 'gone', { items: 3_000, sleepMs: 1_000 });
    await cli.json('run', 'probe', '--input', '{"set":"gone","maxConcurrency":3}');
    await until('some items done', async () => (await countItems(own, 'done')) > 0);
    expect((await cli.json('status', 'probe/gone')).answer['noWorkerSince']).toBeUndefined();
    worker.kill('SIGKILL');
    await worker.exited;
    await until(
      'the lease over',
      async () =>
        (await own.pool.query('select 1 from worker_leases where lease_until > now() and identity <> $1', [own.taskQueue])).rows.length === 0,
    );
    const { code, answer } = await cli.json('status', 'probe/gone');
    expect(code).toBe(0);
    expect(answer).toMatchObject({ state: 'running', toProcess: 3_000, succeeded: await countItems(own, 'done') });
    expect(answer['noWorkerSince']).toMatch(/^\d{4}-/);
  }, 300_000);
});
