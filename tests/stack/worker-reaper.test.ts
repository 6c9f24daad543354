import { Client, Connection } from '@temporalio/client';
import getPort from 'get-port';
import { afterEach, describe, expect, test } from 'vitest';
import { CHUNK_TYPE } from '../../packages/contracts/chunk.ts';
import { sweepDeadWorkers } from '../../packages/runtime/dead-worker-sweep.ts';
import { listOpenWorkflows } from '../../packages/runtime/open-workflows.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { startWorkerReaper } from '../../packages/runtime/worker-reaper.ts';
import type { ReapedWorkers, WorkerReaper } from '../../packages/runtime/worker-reaper.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { CreateRigInput, Rig } from '../../packages/testing/rig.ts';
import { createStage, varyProbe } from '../../packages/testing/stage.ts';
import type { Stage, StageInput } from '../../packages/testing/stage.ts';

// The rig's worker, which holds its items, stands for a dead one: no time-out ends soon enough to help.
const UNTIMED = varyProbe({ plan: { heartbeatTimeoutMs: 600_000, itemTimeoutMs: 600_000 } });
const DISPATCHES = ['item', 'slice'] as const;
const CANCEL_REQUESTED = 3; // temporal.api.enums.v1.PendingActivityState

let rig: Rig;
let runs: ProbeRuns;
let stage: Stage;
let reapers: WorkerReaper[];
let release = (): void => undefined;

const prepare = async (input: StageInput = {}, more: CreateRigInput = {}): Promise<void> => {
  reapers = [];
  stage = createStage({ contract: UNTIMED, ...input });
  rig = await createRig({ activities: stage.createActivities, ...more });
  runs = createProbeRuns(rig);
};

afterEach(async () => {
  await Promise.all(reapers.map((reaper) => reaper.stop()));
  release();
  stage.open();
  await rig.close();
});

const until = (what: string, probe: () => boolean | Promise<boolean>): Promise<void> =>
  waitUntil({ what, timeoutMs: 60_000, probe: async () => probe() });

const sweep = (dead: string): Promise<number> =>
  sweepDeadWorkers({
    client: rig.client,
    db: rig.db,
    workers: [{ identity: dead, taskQueues: [rig.taskQueue] }],
    keep: async () => new Set([dead]),
    signal: new AbortController().signal,
  });

describe.each(DISPATCHES)('a sweep for a dead worker, dispatch %s', (dispatch) => {
  test('has what it had under way executed again, and leaves alone what others have under way', async () => {
    await prepare();
    await runs.seed('swept', 5);
    stage.hold(() => false);
    const started = await runs.start({ set: 'swept', dispatch });
    await stage.waitFor({ ended: 0, inFlight: 5 });
    expect(await sweep('somebody else')).toBe(0);
    stage.hold(() => true);
    expect(await sweep(rig.taskQueue)).toBe(dispatch === 'item' ? 5 : 1);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 5 });
    expect((await runs.ledger('swept')).map(({ attempts }) => attempts)).toEqual(Array(5).fill(2));
  });

  test('finds the items of chunk children', async () => {
    await prepare();
    await runs.seed('chunked', 60);
    stage.hold(() => false);
    const started = await runs.start({ set: 'chunked', dispatch, pageSize: 60, chunkSize: 20, maxConcurrency: 15 });
    await stage.waitFor({ ended: 0, inFlight: 15 });
    stage.hold(() => true);
    expect(await sweep(rig.taskQueue)).toBe(dispatch === 'item' ? 15 : 3);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 60, chunks: dispatch === 'item' ? 3 : 0 });
  });

  test('cancels what an abort had asked it to end', async () => {
    const deaf = new Promise<void>((resolve) => (release = resolve));
    await prepare({ behave: () => deaf.then(() => ({ kind: 'done' })) });
    await runs.seed('aborted', 5);
    const started = await runs.start({ set: 'aborted', dispatch });
    await stage.waitFor({ ended: 0, inFlight: 5 });
    await runs.control('abort', started.workflowId);
    await until('the cancellations being requested', async () => {
      const { pendingActivities } = (await runs.handle(started).describe()).raw;
      return (pendingActivities ?? []).some(({ state }) => state === CANCEL_REQUESTED);
    });
    expect(await sweep(rig.taskQueue)).toBe(dispatch === 'item' ? 5 : 1);
    expect(await runs.result(started)).toMatchObject({ outcome: 'aborted', succeeded: 0, failed: 0, remaining: 5 });
  });
});

describe('reapers', () => {
  const putLease = (identity: string, offset: string): Promise<unknown> =>
    rig.pool.query(`insert into worker_leases values ($1, $2, now() + $3::interval, now() + $3::interval, now() - interval '1 h')`, [
      identity,
      [rig.taskQueue],
      offset,
    ]);

  interface Told {
    readonly reaper: WorkerReaper;
    readonly reaped: ReapedWorkers[];
    readonly errors: unknown[];
  }

  const startSurvivor = async (identity: string, client = rig.client): Promise<Told> => {
    await putLease(identity, '1 h');
    const reaped: ReapedWorkers[] = [];
    const errors: unknown[] = [];
    const reaper = startWorkerReaper({ client, db: rig.db, identity, onReaped: (told) => reaped.push(told), onError: (error) => errors.push(error) });
    reapers.push(reaper);
    return { reaper, reaped, errors };
  };

  const readReapers = async (): Promise<readonly (string | null)[]> =>
    (await rig.pool.query<{ reaped_by: string | null }>(`select reaped_by from worker_leases where identity = 'dead'`)).rows.map(
      (row) => row.reaped_by,
    );

  test('of several that notice a lapsed lease one reaps it and removes it', async () => {
    await prepare();
    const survivors = [await startSurvivor('a'), await startSurvivor('b'), await startSurvivor('c')];
    await putLease('dead', '-1 s');
    for (const { reaper } of survivors) reaper.notice();
    await until('the lease being gone', async () => (await readReapers()).length === 0);
    await until('its reaper telling so', () => survivors.some(({ reaped }) => reaped.length > 0));
    expect(survivors.flatMap(({ reaped }) => reaped)).toEqual([{ identities: ['dead'], activities: 0 }]);
  });

  test('one that does not reach Temporal leaves the dead to another', async () => {
    await prepare();
    const nowhere = Connection.lazy({ address: `127.0.0.1:${await getPort()}` });
    const [cutOff, other] = [await startSurvivor('cut off', new Client({ connection: nowhere })), await startSurvivor('other')];
    await putLease('dead', '-1 s');
    cutOff.reaper.notice();
    await until('the failure being told', () => cutOff.errors.length > 0);
    expect(await readReapers()).toEqual([null]);
    expect(cutOff.reaped).toEqual([]);
    other.reaper.notice();
    await until('the other having reaped it', () => other.reaped.length > 0);
    expect(await readReapers()).toEqual([]);
    await nowhere.close();
  });

  test('one that is stopped leaves the dead to another', async () => {
    await prepare({}, { worker: { identity: 'dead' } });
    await runs.seed('stopped', 5);
    stage.hold(() => false);
    const started = await runs.start({ set: 'stopped' });
    await stage.waitFor({ ended: 0, inFlight: 5 });
    const [first, second] = [await startSurvivor('first'), await startSurvivor('second')];
    await putLease('dead', '-1 s');
    first.reaper.notice();
    await until('the first being at it', async () => (await readReapers())[0] === 'first');
    await first.reaper.stop();
    expect(first).toMatchObject({ reaped: [], errors: [] });
    expect(await readReapers()).toEqual([null]);
    second.reaper.notice();
    stage.open();
    await until('the second having reaped it', () => second.reaped.length > 0);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 5 });
  });
});

test('open workflows of a queue are listed without chunk children, whatever their type', async () => {
  await prepare();
  const start = (type: string, id: string, taskQueue: string): Promise<unknown> =>
    rig.client.workflow.start(type, { workflowId: `${rig.taskQueue}/${id}`, taskQueue, args: [] });
  const queue = `${rig.taskQueue}-unserved`;
  await start('limiter', 'limiter', queue);
  await start(CHUNK_TYPE, 'chunk', queue);
  await start('limiter', 'elsewhere', `${queue}-either`);
  const listed = async (): Promise<readonly string[]> => listOpenWorkflows(rig.client, [queue, 'another']);
  await until('the workflows being visible', async () => (await listed()).length > 0);
  expect(await listed()).toEqual([`${rig.taskQueue}/limiter`]);
  for (const id of ['limiter', 'chunk', 'elsewhere']) await rig.client.workflow.getHandle(`${rig.taskQueue}/${id}`).terminate();
});
