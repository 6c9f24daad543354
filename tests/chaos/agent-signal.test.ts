import { Client, Connection } from '@temporalio/client';
import getPort from 'get-port';
import { afterEach, describe, expect, test } from 'vitest';
import { readRows } from '../../packages/database/database.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { enqueueEvent } from '../../packages/runtime/signal-doors.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import type { StrataProcess } from '../../packages/testing/strata-process.ts';
import { startWorkerProcess } from '../../packages/testing/worker-process.ts';
import { createSignals, probeEvent } from '../agent-signal/signals.ts';
import type { Signals } from '../agent-signal/signals.ts';

const isFull = process.env['STRATA_TEST_FULL'] === '1';
const LIMITS = { idleMs: 1_000, continueAfterEvents: 50, acceptedPerSecond: 100_000, sweepAfterMs: 500 };

let rig: Rig;
let signals: Signals;
let workers: StrataProcess[] = [];

const open = async (input: Parameters<typeof createRig>[0] = {}): Promise<void> => {
  rig = await createRig({ ...input, signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
  workers = [];
};
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await rig.close();
});

const startWorker = async (): Promise<StrataProcess> => {
  const worker = await startWorkerProcess(rig, {
    STRATA_AGENT_SIGNAL: 'on',
    STRATA_SIGNAL_LIMITS: JSON.stringify(LIMITS),
    STRATA_SET_CURRENT: 'true',
  });
  workers.push(worker);
  return worker;
};
const kill = async (worker: StrataProcess): Promise<void> => {
  worker.kill('SIGKILL');
  await worker.exited;
};
const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(5, '0')}`);
const isDone = async (count: number): Promise<boolean> => ((await signals.status())?.done ?? 0) >= count;

describe('a scope whose worker is killed', () => {
  test('L1, F9: runs every event once and in order, over continuations and two deaths', async () => {
    await open({ workers: 0 });
    const first = await startWorker();
    const all = ids(500);
    const sending = (async () => {
      for (const id of all) await signals.enqueue(probeEvent(id, { actions: 1 }));
    })();
    await waitUntil({ what: '100 done', timeoutMs: 60_000, probe: () => isDone(100) });
    await kill(first);
    const second = await startWorker();
    await waitUntil({ what: '250 done', timeoutMs: 60_000, probe: () => isDone(250) });
    await kill(second);
    await startWorker();
    await sending;
    expect(await signals.ended(500)).toMatchObject({ done: 500, failed: 0 });
    expect(await signals.endOrder()).toEqual(all);
    expect(await signals.count('signal_probes')).toBe(500);
  });

  test('Q7: the event that it was at is done once, and its action applied once', async () => {
    await open({ workers: 0 });
    const first = await startWorker();
    await signals.enqueue(probeEvent('m1', { sleepMs: 2_000, actions: 1 }));
    await waitUntil({ what: 'm1 running', timeoutMs: 30_000, probe: async () => (await signals.status())?.processing === 1 });
    await kill(first);
    await startWorker();
    await signals.ended(1);
    expect(await readRows(rig.db, sql`select state, epoch from signal_actions`)).toEqual([{ state: 'applied', epoch: 1 }]);
    expect(await signals.count('signal_probes')).toBe(1);
  });
});

test('L2, F8: an event at the moment in which its scope idles out is never lost', async () => {
  await open();
  const trials = isFull ? 25 : 5;
  const scopes = Array.from({ length: 20 }, (_, index) => `topic:race-${index}`);
  await Promise.all(
    scopes.map(async (scopeKey, place) => {
      for (let trial = 1; trial <= trials; trial++) {
        await signals.enqueue(probeEvent(`e${trial}`, {}, { scopeKey }));
        await signals.ended(trial, scopeKey);
        // Around the idle time, a little sooner or later with each trial and scope.
        await new Promise((resolve) => setTimeout(resolve, LIMITS.idleMs - 60 + ((place * 7 + trial * 13) % 120)));
      }
    }),
  );
  for (const scopeKey of scopes) expect(await signals.status(scopeKey)).toMatchObject({ done: trials, failed: 0, pending: 0 });
});

test('D7: accepted while Temporal is away, an event is woken by the sweeper once it is back', async () => {
  await open();
  const connection = Connection.lazy({ address: `127.0.0.1:${await getPort()}` });
  const away = { ...signals.deps, client: new Client({ connection, namespace: rig.namespace }) };
  const answer = await enqueueEvent(away, probeEvent('m1'), { door: 'server', caller: { kind: 'service', userId: signals.user } });
  await connection.close();
  expect(answer).toMatchObject({ accepted: true, workflowRunId: '', wake: 'deferred' });
  await waitUntil({
    what: 'm1 done',
    timeoutMs: 60_000,
    everyMs: 250,
    probe: async () => {
      await rig.deps.signals.sweep(rig.taskQueue);
      return isDone(1);
    },
  });
});

test('many idle scopes leave no workflow running', async () => {
  await open();
  const scopes = Array.from({ length: isFull ? 10_000 : 500 }, (_, index) => `topic:idle-${index}`);
  const waiting = scopes.values();
  const lane = async (): Promise<void> => {
    for (const scopeKey of waiting) await signals.enqueue(probeEvent('m1', {}, { scopeKey }));
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  const query = `TaskQueue = '${rig.taskQueue}' and ExecutionStatus = 'Running'`;
  const ended = async (): Promise<number> =>
    (await readRows<{ n: number }>(rig.db, sql`select count(*)::int as n from signal_events where state = 'done'`))[0]?.n ?? 0;
  await waitUntil({ what: 'all done', timeoutMs: isFull ? 1_800_000 : 300_000, everyMs: 500, probe: async () => (await ended()) === scopes.length });
  expect(await ended()).toBe(scopes.length);
  await waitUntil({
    what: 'nothing running',
    timeoutMs: 120_000,
    everyMs: 500,
    probe: async () => (await rig.client.workflow.count(query)).count === 0,
  });
});

describe('a scope started by hand', () => {
  test('L5: without an owner, or under another workflow id, ends Failed and says why; alone it idles out', async () => {
    await open();
    const start = (workflowId: string, input: unknown) =>
      rig.client.workflow.start('agentSignalScope', { workflowId, taskQueue: rig.taskQueue, args: [input] }).then((handle) => handle.result());
    const good = { ownerId: signals.user, scopeKey: 'topic:t1' };
    for (const [workflowId, input] of [
      ['agent-signal/a', { scopeKey: 'topic:t1' }],
      ['agent-signal/b', good],
      ['agent-signal/c', { ...good, carry: {} }],
      ['agent-signal/d', 'oops'],
    ] as const)
      await expect(start(workflowId, input)).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
    await expect(start(`agent-signal/${signals.user}/topic:t1`, good)).resolves.toBeUndefined();
  });
});
