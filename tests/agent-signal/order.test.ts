import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SCOPE_MESSAGES, SCOPE_TYPE } from '../../packages/contracts/agent-signal-scope.ts';
import { listRejections } from '../../packages/database/signal-rejections.ts';
import { scopeStart } from '../../packages/runtime/signal-client.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { idleMs: 1_000, continueAfterEvents: 50, retryFirstMs: 20, retryMaxMs: 50, attempts: 3, sweepAfterMs: 100 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig({ signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

describe('the order of a scope', () => {
  test('Q4, F10: an event that always fails is given up after its attempts and the ones behind it run in order; one that is refused has one attempt', async () => {
    await signals.enqueue(probeEvent('poison', { failTimes: 1_000 }));
    for (const id of ids(4)) await signals.enqueue(probeEvent(id));
    expect(await signals.ended(5)).toMatchObject({ done: 4, failed: 1 });
    expect(await signals.endOrder()).toEqual(['poison', ...ids(4)]);
    expect(await signals.event('poison')).toMatchObject({
      state: 'failed',
      outcome: 'failed',
      reason: expect.stringContaining('probe.event (poison): ProviderUnavailable: HTTP 503'),
    });
    await signals.enqueue(probeEvent('refused', { failTimes: -1 }));
    await signals.ended(6);
    const { results } = await signals.trace('refused');
    expect(results).toMatchObject([{ attempt: 1, answer: { status: 'failed', error: { code: 'ProviderRefused' } } }]);
  });

  test('Q2, F5: a failed event is opened again by its redelivery, and what is done is done once', async () => {
    await signals.enqueue(probeEvent('m1', { failTimes: -1 }));
    await signals.ended(1);
    expect(await signals.enqueue(probeEvent('m1', { failTimes: 0 }))).toMatchObject({ accepted: true, reopened: true });
    await signals.ended(1);
    // The first accepted payload wins: it is refused again.
    expect(await signals.event('m1')).toMatchObject({ state: 'failed', reopens: 1 });
  });

  test('Q5: ten producers of one fact at once make one row and one run', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => signals.enqueue(probeEvent('m1', { actions: 1 }))));
    expect(answers.filter(({ deduped }) => deduped === true)).toHaveLength(9);
    await signals.ended(1);
    expect(await signals.count('signal_events')).toBe(1);
    expect(await signals.count('signal_probes')).toBe(1);
  });

  test('Q6, F7: events of three scopes sent in turn run in order of acceptance within each, whatever their senders clocks say', async () => {
    const scopes = ['topic:a', 'topic:b', 'topic:c'];
    for (const [index, id] of ids(60).entries())
      for (const scopeKey of scopes) await signals.enqueue(probeEvent(id, { sleepMs: 2 }, { scopeKey, timestamp: 10_000 - index }));
    for (const scopeKey of scopes) {
      await signals.ended(60, scopeKey);
      expect(await signals.endOrder(scopeKey)).toEqual(ids(60));
    }
  });

  test('L1, F1: events at full speed run once and in order over several continuations', async () => {
    for (const id of ids(170)) await signals.enqueue(probeEvent(id, { actions: 1 }));
    expect(await signals.ended(170)).toMatchObject({ done: 170, failed: 0 });
    expect(await signals.endOrder()).toEqual(ids(170));
    expect(await signals.count('signal_probes')).toBe(170);
  });

  test('Q7: a scope terminated during an event is started by the sweeper, and the event is done once', async () => {
    await signals.enqueue(probeEvent('m1', { sleepMs: 300, actions: 1 }));
    await waitUntil({ what: 'm1 running', timeoutMs: 10_000, probe: async () => (await signals.status())?.processing === 1 });
    await signals.scope().terminate('by the test');
    await waitUntil({
      what: 'the sweeper to wake the scope',
      timeoutMs: 20_000,
      everyMs: 200,
      probe: async () => {
        await rig.deps.signals.sweep(rig.taskQueue);
        return (await signals.event('m1')).state === 'done';
      },
    });
    expect(await signals.count('signal_probes')).toBe(1);
  });
});

describe('signals straight from Temporal', () => {
  test('L4, F6: what is no event becomes a rejection, and the next good one runs', async () => {
    await signals.enqueue(probeEvent('m0'));
    const scope = signals.scope();
    await scope.signal('sourceEvent', 'oops');
    await scope.signal('sourceEvent', null);
    await scope.signal('sourceEvent', { sourceType: 'probe.event', payload: {} });
    await scope.signal('nonsense', { a: 1 });
    await scope.signal('sourceEvent', {
      sourceType: 'probe.event',
      sourceId: 'big',
      payload: { sleepMs: 1 },
      scopeKey: `topic:${'x'.repeat(100 * 1024)}`,
    });
    await scope.signal('sourceEvent', { sourceType: 'probe.event', sourceId: 'm1', payload: {} });
    await signals.ended(2);
    expect(await signals.status()).toMatchObject({ done: 2, rejected: 5 });
    expect(await signals.endOrder()).toEqual(['m0', 'm1']);
  });

  test('what no column can hold is replaced in a value, makes a rejection as a key, and the next good one runs', async () => {
    await signals.enqueue(probeEvent('m0'));
    const send = (body: object) => signals.scope().signal(SCOPE_MESSAGES.sourceEvent, { sourceType: 'probe.event', payload: {}, ...body });
    await send({ sourceId: 'm1', cause: { rootSourceId: 'r\0', chainId: 'c\ud800', depth: 1 } });
    await send({ sourceId: 'm2', 'a\0': 1 });
    await send({ sourceId: 'm3', payload: { 'b\ud800': 1 } });
    await send({ sourceId: 'x', sourceType: 'agent.user.message', payload: { message: 'hi', messageId: 'x', memoryPayload: { 'c\0': ['\ud800'] } } });
    await send({ sourceId: 'm4' });
    await waitUntil({ what: 'm4 done', timeoutMs: 10_000, probe: async () => (await signals.event('m4')).state === 'done' });
    expect(await signals.status()).toMatchObject({ done: 4, rejected: 2 });
    expect((await signals.event('x')).payload).toMatchObject({ memoryPayload: { 'c\ufffd': ['\ufffd'] } });
    expect(await signals.event('m1')).toMatchObject({ cause: { rootSourceId: 'r\ufffd', chainId: 'c\ufffd', depth: 1 } });
    expect(await listRejections(rig.db, { ownerId: signals.user, scopeKey: 'topic:t1' }, 10)).toMatchObject([
      { reason: 'unknown_key', path: 'payload.b\ufffd' },
      { reason: 'unknown_key', path: 'a\ufffd' },
    ]);
  });

  test('what is nested without end is rejected, and the next good one runs', async () => {
    await signals.enqueue(probeEvent('m0'));
    const send = (levels: number) =>
      rig.client.workflowService.signalWorkflowExecution({
        namespace: rig.namespace,
        workflowExecution: { workflowId: signals.scope().workflowId },
        signalName: SCOPE_MESSAGES.sourceEvent,
        input: {
          payloads: [
            {
              metadata: { encoding: Buffer.from('json/plain') },
              data: Buffer.from(`{"sourceType":"probe.event","sourceId":"deep","payload":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`),
            },
          ],
        },
      });
    await send(2_000);
    await send(30_000);
    await signals.scope().signal(SCOPE_MESSAGES.sourceEvent, { sourceType: 'probe.event', sourceId: 'm1', payload: {} });
    await waitUntil({ what: 'm1 done', timeoutMs: 20_000, probe: async () => ((await signals.status())?.done ?? 0) >= 2 });
    expect((await signals.status())?.rejected).toBe(2);
  });

  test.each(['100%', 'ws:100%'])(
    'a scope that was started by hand for an owner %s that is no encoding rejects what it is sent, and ends',
    async (owner) => {
      const scope = { ownerId: `${owner}-${signals.user}`, scopeKey: 'topic:t1' };
      const handle = await rig.client.workflow.signalWithStart(SCOPE_TYPE, {
        ...scopeStart(scope, rig.taskQueue),
        signal: SCOPE_MESSAGES.sourceEvent,
        signalArgs: [{ sourceType: 'probe.event', sourceId: 'm1', payload: {} }],
      });
      await waitUntil({ what: 'the rejection', timeoutMs: 10_000, probe: async () => (await listRejections(rig.db, scope, 10)).length === 1 });
      expect(await listRejections(rig.db, scope, 10)).toMatchObject([{ path: 'userId' }]);
      await handle.result();
    },
  );
});
