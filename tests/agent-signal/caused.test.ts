import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storeMessage } from '../../packages/database/conversations.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { idleMs: 1_000, causedPerHour: 1 };
const cause = { rootSourceId: 'm0', chainId: 'chain:m0', depth: 1 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig({ signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const caused = (sourceId: string, more: object = {}) => signals.enqueue(probeEvent(sourceId, {}, { cause, ...more }));

test('a caused event beyond the hour is refused, and one that is known says so all the same', async () => {
  await caused('m1');
  await expect(caused('m2')).rejects.toMatchObject({ type: 'RateLimited' });
  await signals.ended(1);
  expect(await caused('m1')).toMatchObject({ accepted: true, deduped: true, state: 'done' });
});

describe('a derived event has the cause of its original, and is no caused event', () => {
  test.each([
    ['another scope', 'topic:t9', 1],
    // Here the original is one.
    ['the same scope', 'topic:t1', 2],
  ])('in %s', async (_where, from, causedPerHour) => {
    await storeMessage(rig.db, {
      id: 'm1',
      userId: signals.user,
      agentId: 'a1',
      topicId: 't1',
      threadId: null,
      parentId: null,
      role: 'user',
      content: 'short answers',
      metadata: null,
    });
    const start = { operationId: 'op1', agentId: 'a1', parentMessageId: 'm1' };
    await signals.emit({ sourceType: 'client.runtime.start', sourceId: 's1', payload: start, scopeKey: from, cause });
    await signals.ended(causedPerHour);
    expect(await signals.event('m1')).toMatchObject({ cause: { ...cause, isInherited: true } });
    const room = createSignals(rig, { ...LIMITS, causedPerHour });
    const enqueue = (sourceId: string) =>
      room.enqueue(probeEvent(sourceId, {}, { cause }), { door: 'server', caller: { kind: 'service', userId: signals.user } });
    expect(await enqueue('p1')).toMatchObject({ accepted: true });
    await expect(enqueue('p2')).rejects.toMatchObject({ type: 'RateLimited' });
  });
});
