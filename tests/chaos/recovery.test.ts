import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import type { StrataProcess } from '../../packages/testing/strata-process.ts';
import { startWorkerProcess } from '../../packages/testing/worker-process.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

const IS_FULL = process.env['STRATA_TEST_FULL'] === '1';
const ITEMS = IS_FULL ? 2_000 : 400;
const WINDOW = 40;
const INPUTS = [
  { set: 'killed', dispatch: 'item', pageSize: 200, chunkSize: 20, maxConcurrency: WINDOW },
  { set: 'killed', dispatch: 'slice', pageSize: 200, chunkSize: 50, maxConcurrency: WINDOW },
];

let rig: Rig;
let runs: ProbeRuns;
let workers: StrataProcess[];

const startWorker = async (): Promise<StrataProcess> => {
  const worker = await startWorkerProcess(rig);
  workers.push(worker);
  return worker;
};

beforeEach(async () => {
  workers = [];
  rig = await createRig({ workers: 0 });
  runs = createProbeRuns(rig);
  await runs.seed('killed', ITEMS, { sleepMs: 5 });
});

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await rig.close();
});

interface Killed {
  readonly worker: StrataProcess;
  readonly at: string;
  /** Claims that it died with. */
  readonly held: number;
}

/** The worker that has most in flight. */
const busiest = async (): Promise<StrataProcess> => {
  const { rows } = await rig.pool.query<{ pid: number }>(
    `select split_part(worker, '@', 1)::int as pid from pipeline_items where state = 'claimed' group by worker order by count(*) desc limit 1`,
  );
  return workers.find(({ pid }) => pid === rows[0]?.pid) ?? workers[0]!;
};

/** Kills the busiest worker when half of the items are done. */
const killAtHalf = async (): Promise<Killed> => {
  const isHalfDone = async (): Promise<boolean> =>
    (await rig.pool.query<{ half: boolean }>(`select count(*) >= $1 as half from pipeline_items where state = 'done'`, [ITEMS / 2])).rows[0]!.half;
  await waitUntil({ what: 'half of the items done', timeoutMs: 120_000, everyMs: 10, probe: isHalfDone });
  const worker = await busiest();
  worker.kill('SIGKILL');
  await worker.exited;
  const { rows } = await rig.pool.query<{ at: string; held: number }>(
    `select now()::text as at, (select count(*)::int from pipeline_items where state = 'claimed' and worker like $1) as held`,
    [`${worker.pid}@%`],
  );
  return { worker, ...rows[0]! };
};

/** Seconds from the kill to the first item finished afterwards and to the last, and the longest time in which none was finished. */
const measure = async (killedAt: string): Promise<{ readonly first: number; readonly last: number; readonly longestGap: number }> => {
  const { rows } = await rig.pool.query<{ first: number; last: number; longestGap: number }>(
    `with ends as (select $1::timestamptz as at union all select finished_at from pipeline_items where finished_at > $1::timestamptz),
       gaps as (select at, extract(epoch from at - lag(at) over (order by at))::float8 as gap from ends)
     select (select gap from gaps where gap is not null order by at limit 1) as first, extract(epoch from max(at) - min(at))::float8 as last,
       max(gap) as "longestGap" from gaps`,
    [killedAt],
  );
  return rows[0]!;
};

const expectRecovered = async ({ worker, held }: Killed): Promise<void> => {
  const { done, failed, executions } = await runs.report('killed');
  expect({ done, failed }).toEqual({ done: ITEMS, failed: 0 });
  expect(executions - ITEMS).toBeLessThanOrEqual(Math.min(held, WINDOW));
  const isReaped = async (): Promise<boolean> =>
    (await rig.pool.query('select from worker_leases where identity like $1', [`${worker.pid}@%`])).rowCount === 0;
  await waitUntil({ what: 'the dead worker being reaped', timeoutMs: 30_000, probe: isReaped });
};

describe.each(INPUTS)('kill -9 at half of the items, dispatch $dispatch', (input) => {
  test('of one of two worker processes: everything is done, and only what was in flight is executed again', async ({ annotate }) => {
    for (const _ of [1, 2]) await startWorker();
    const started = await runs.start(input);
    const killed = await killAtHalf();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: ITEMS });
    await expectRecovered(killed);
    await annotate(JSON.stringify(await measure(killed.at)), 'recovery');
  });

  test('of the only worker process, a new one a second later: it takes over what was in flight', async ({ annotate }) => {
    await startWorker();
    const started = await runs.start(input);
    const killed = await killAtHalf();
    await delay(1_000);
    await startWorker();
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: ITEMS });
    await expectRecovered(killed);
    await annotate(JSON.stringify(await measure(killed.at)), 'recovery');
  });
});
