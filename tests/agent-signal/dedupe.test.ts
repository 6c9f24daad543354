import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { redriveEvents } from '../../packages/database/signal-redrive.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { readChain } from '../pipelines/histories.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const isFull = process.env['STRATA_TEST_FULL'] === '1';
const LIMITS = { idleMs: 1_000, continueAfterEvents: 50, acceptedPerSecond: 100_000, pending: 100_000 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig({ signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

/** Sends so many other facts to the scope, twenty at a time. */
const sendOthers = async (count: number): Promise<void> => {
  const numbers = Array.from({ length: count }, (_, index) => index + 1).values();
  const lane = async (): Promise<void> => {
    for (const n of numbers) await signals.enqueue(probeEvent(`other-${n}`));
  };
  await Promise.all(Array.from({ length: 20 }, lane));
};

/** Deletes every run of the scope's chain; the server does it in its own time. */
const deleteHistories = async (firstRunId: string): Promise<void> => {
  const { workflowId } = signals.scope();
  const chain = await readChain(rig, workflowId, firstRunId);
  const isKnown = (runId: string) =>
    rig.client.workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => true,
        () => false,
      );
  for (const { runId } of chain)
    await rig.client.workflowService.deleteWorkflowExecution({ namespace: rig.namespace, workflowExecution: { workflowId, runId } });
  await waitUntil({
    what: 'no history',
    timeoutMs: 300_000,
    everyMs: 200,
    probe: async () => !(await Promise.all(chain.map(({ runId }) => isKnown(runId)))).includes(true),
  });
};

describe('a fact that is sent again', () => {
  test(
    'Q1, F3, F4: is a duplicate seconds later, after many others and continuations, and when the history is gone',
    { timeout: 1_800_000 },
    async () => {
      const others = isFull ? 20_000 : 200;
      const { workflowRunId } = await signals.enqueue(probeEvent('m1', { actions: 1 }, { timestamp: 1_000 }));
      await signals.ended(1);
      const again = () => signals.enqueue(probeEvent('m1', { actions: 1 }, { timestamp: Date.now() }));
      expect(await again()).toMatchObject({ accepted: true, deduped: true, state: 'done' });
      await sendOthers(others);
      await waitUntil({ what: 'all done', timeoutMs: 1_200_000, everyMs: 500, probe: async () => (await signals.status())?.done === others + 1 });
      expect(await again()).toMatchObject({ deduped: true, state: 'done' });
      await signals.scope().result();
      await deleteHistories(workflowRunId);
      expect(await again()).toMatchObject({ deduped: true, state: 'done' });
      expect((await signals.trace('m1')).results).toHaveLength(2);
      expect(await signals.count('signal_probes')).toBe(1);
    },
  );

  test('Q8: is opened again five times at most, and then by a redrive only', async () => {
    const send = () => signals.enqueue(probeEvent('bad', { failTimes: -1 }));
    const failed = (reopens: number) =>
      waitUntil({
        what: `failed after ${reopens} reopenings`,
        timeoutMs: 30_000,
        probe: async () => {
          const event = await signals.event('bad');
          return event.state === 'failed' && event.reopens === reopens;
        },
      });
    await send();
    await failed(0);
    for (let n = 1; n <= 5; n++) {
      expect(await send()).toMatchObject({ reopened: true });
      await failed(n);
    }
    expect(await send()).toMatchObject({ deduped: true, state: 'failed' });
    expect((await signals.event('bad')).state).toBe('failed');
    expect(await redriveEvents(rig.db, { ownerId: signals.user, scopeKey: 'topic:t1', sourceId: 'bad' })).toBe(1);
  });
});

test('L3, F2: a scope takes fifty events a second for minutes, and no run of it hears too many signals', { timeout: 900_000 }, async () => {
  const [perSecond, seconds] = [50, isFull ? 300 : 4];
  const sinceMs = Date.now();
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < perSecond * seconds; n++) {
    const aheadMs = sinceMs + (n * 1_000) / perSecond - Date.now();
    if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    sent.push(signals.enqueue(probeEvent(`e${n}`)));
  }
  await Promise.all(sent);
  await waitUntil({ what: 'all done', timeoutMs: 300_000, everyMs: 250, probe: async () => (await signals.status())?.done === sent.length });
  await signals.scope().result();
  for await (const { workflowId, runId } of rig.client.workflow.list({ query: `TaskQueue = '${rig.taskQueue}'` })) {
    const { events } = await rig.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const heard = events?.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal !== null && signal !== undefined) ?? [];
    expect(heard.length).toBeLessThan(1_000);
  }
});
