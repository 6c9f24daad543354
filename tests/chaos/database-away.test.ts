import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LEASE } from '../../packages/database/worker-lease.ts';
import { startOwnPostgres } from '../../packages/testing/own-postgres.ts';
import type { OwnPostgres } from '../../packages/testing/own-postgres.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { startProvider } from '../../packages/testing/provider.ts';
import type { Provider, ProviderAnswer } from '../../packages/testing/provider.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { startStageProcess } from '../../packages/testing/stage-process.ts';
import type { StageProcess } from '../../packages/testing/stage-process.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

const OUTAGE_MS = 2 * LEASE.holdsMs;
const JUDGES_AGAIN_MS = 2 * LEASE.holdsMs;
const CONTRACT = { plan: { heartbeatTimeoutMs: 600_000, itemTimeoutMs: 600_000 } };
const ITEMS = 8;

let postgres: OwnPostgres;
let rig: Rig;
let runs: ProbeRuns;
let provider: Provider;
let workers: StageProcess[];
let answer: (given: ProviderAnswer) => void;

const startWorker = async (): Promise<StageProcess> => {
  const worker = await startStageProcess(rig, { providerUrl: provider.url, contract: CONTRACT });
  workers.push(worker);
  return worker;
};

const until = (what: string, probe: () => boolean | Promise<boolean>): Promise<void> =>
  waitUntil({ what, timeoutMs: 60_000, probe: async () => probe() });

const countLeases = async (condition: string): Promise<number> =>
  (await rig.pool.query(`select from worker_leases where identity like 'stage-%' and ${condition}`)).rowCount ?? 0;

beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres.remove());

beforeEach(async () => {
  workers = [];
  rig = await createRig({ workers: 0, postgres });
  runs = createProbeRuns(rig);
  const held = new Promise<ProviderAnswer>((resolve) => (answer = resolve));
  provider = await startProvider({ answer: () => held });
});

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await rig.close();
  await provider.close();
});

describe.each(['item', 'slice'])('Postgres away for two lease periods, dispatch %s', (dispatch) => {
  test('a worker that comes back later than another, cut off with it, is not judged: no item is executed twice', async () => {
    for (const _ of [1, 2]) await startWorker();
    await runs.seed('away', ITEMS);
    const started = await runs.start({ set: 'away', dispatch });
    await until('all items in flight', () => provider.calls.length === ITEMS);
    const late = workers.find(({ pid }) => pid === provider.calls[0]?.pid)!;
    await postgres.stop();
    late.kill('SIGSTOP');
    await delay(OUTAGE_MS);
    await postgres.start();
    await until('the other being back', async () => (await countLeases('lease_until > now()')) === 1);
    await delay(2 * LEASE.renewMs);
    late.kill('SIGCONT');
    await until('both judging again', async () => (await countLeases('lease_until > now() and judges_at < now()')) === 2);
    answer({ status: 200 });
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: ITEMS });
    expect(provider.calls).toHaveLength(ITEMS);
    expect((await runs.ledger('away')).map(({ attempts }) => attempts)).toEqual(Array(ITEMS).fill(1));
  });

  test('a worker that was killed meanwhile is judged once two lease periods have passed', async () => {
    const dying = await startWorker();
    await runs.seed('killed', ITEMS);
    const started = await runs.start({ set: 'killed', dispatch });
    await until('all items in flight', () => provider.calls.length === ITEMS);
    await startWorker();
    await postgres.stop();
    dying.kill('SIGKILL');
    await delay(OUTAGE_MS);
    await postgres.start();
    const backAt = performance.now();
    answer({ status: 200 });
    await until('the dead worker being reaped', async () => (await countLeases(`identity = 'stage-${dying.pid}'`)) === 0);
    // The survivor may have renewed a moment before the start was known here.
    expect(performance.now() - backAt).toBeGreaterThan(JUDGES_AGAIN_MS - 500);
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: ITEMS });
    expect((await runs.ledger('killed')).map(({ attempts }) => attempts)).toEqual(Array(ITEMS).fill(2));
  });
});
