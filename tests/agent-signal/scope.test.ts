import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  const limits = { idleMs: 1_000, continueAfterEvents: 50 };
  rig = await createRig({ signalLimits: limits });
  signals = createSignals(rig, limits);
});
afterEach(() => rig.close());

describe('a scope', () => {
  test('D1: an event is a row before its producer is answered, then runs, and the scope ends when nothing comes', async () => {
    const answer = await signals.enqueue(probeEvent('m1', { actions: 1 }));
    expect(answer).toEqual({
      accepted: true,
      scopeKey: 'topic:t1',
      workflowId: `agent-signal/${signals.user}/topic:t1`,
      workflowRunId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sourceId: 'm1',
      wake: 'sent',
    });
    expect(await signals.status()).not.toBeNull();
    await signals.ended(1);
    expect(await signals.event('m1')).toMatchObject({ state: 'done', outcome: 'completed' });
    const { nodes } = await signals.trace('m1');
    expect(nodes.map(({ type, depth }) => `${type} ${depth}`)).toEqual(['action.probe.write 1', 'signal.action.applied 2']);
    await signals.scope().result();
    expect((await signals.scope().describe()).status.name).toBe('COMPLETED');
  });

  test('an emit runs its event and answers with its outcome', async () => {
    const answer = await signals.emit(probeEvent('m1', { actions: 1 }));
    expect(answer).toMatchObject({ deduped: false, trigger: { scopeKey: 'topic:t1', windowEventCount: 1 }, run: { status: 'completed' } });
    expect(await signals.emit(probeEvent('m1'))).toMatchObject({ deduped: true, reason: 'duplicate', state: 'done' });
  });
});
