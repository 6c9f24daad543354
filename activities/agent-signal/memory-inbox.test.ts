import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHandlerRegistry } from '../../packages/agent-signal/registry.ts';
import { createMemoryInbox } from './memory-inbox.ts';
import type { MemoryInbox } from './memory-inbox.ts';

const registry = createHandlerRegistry([]);

let inbox: MemoryInbox;
beforeEach(() => {
  vi.useFakeTimers();
  inbox = createMemoryInbox({ guardTtlMs: 1_000 });
});
afterEach(() => void vi.useRealTimers());

const claim = (sourceId: string, scopeKey = 'topic:t1') =>
  inbox.claim(inbox.accept({ ownerId: 'u1', scopeKey, sourceType: 'probe.event', sourceId, payload: {}, userId: 'u1' }).eventId, registry);

type Claimed = ReturnType<typeof claim>;

const reserve = ({ eventId }: Claimed, nodeId = 'n1') => inbox.reserve({ ownerId: 'u1', key: 'k1', eventId, nodeId, holdMs: 120_000 });

const settle = ({ eventId, token }: Claimed, state: 'applied' | 'failed') =>
  inbox.store({
    eventId,
    token,
    nodeId: 'n1',
    handlerId: 'h1',
    scopeId: '',
    answer: { status: 'executed', result: state, nodes: [] },
    result: null,
    attempt: 1,
    startedAt: '',
    nodes: [],
    timer: null,
    outcome: null,
    action: { ownerId: 'u1', key: 'k1', state, detail: null },
  });

describe('an action key', () => {
  test('that another live event holds is in flight, until its time is over', async () => {
    const [first, second] = [claim('m1'), claim('m2', 'topic:t2')];
    expect(await reserve(first)).toMatchObject({ kind: 'reserved', epoch: 1 });
    expect(await reserve(second)).toEqual({ kind: 'inFlight' });
    expect(await reserve(first, 'n2')).toEqual({ kind: 'inFlight' });
    expect(await reserve(first)).toMatchObject({ kind: 'reserved', epoch: 1 });
    vi.advanceTimersByTime(120_001);
    expect(await reserve(second)).toMatchObject({ kind: 'reserved', epoch: 1 });
  });

  test('of an event that has ended is free', async () => {
    const [first, second] = [claim('m1'), claim('m2', 'topic:t2')];
    await reserve(first);
    inbox.settle(first.eventId, { status: 'failed', reason: 'r' });
    expect(await reserve(second)).toMatchObject({ kind: 'reserved', epoch: 1 });
  });

  test('that was taken over is settled by its new holder only', async () => {
    const [first, second] = [claim('m1'), claim('m2', 'topic:t2')];
    await reserve(first);
    vi.advanceTimersByTime(120_001);
    await reserve(second);
    await settle(first, 'applied');
    expect(await reserve(second)).toMatchObject({ kind: 'reserved' });
    await settle(second, 'applied');
    expect(await reserve(first)).toEqual({ kind: 'applied' });
  });

  test('whose action failed is open again, one epoch on', async () => {
    const [first, second] = [claim('m1'), claim('m2', 'topic:t2')];
    await reserve(first);
    await settle(first, 'failed');
    expect(await reserve(second)).toMatchObject({ kind: 'reserved', epoch: 2 });
  });
});

test('a guard is forgotten when its time is over', async () => {
  const call = (key: string) => inbox.changeGuard({ scopeId: 's1', key }, (state) => ({ state: { by: key }, answer: state }));
  expect(await call('a')).toBeNull();
  vi.advanceTimersByTime(900);
  expect(await call('a')).toEqual({ by: 'a' });
  expect(await call('b')).toBeNull();
  vi.advanceTimersByTime(1_000);
  expect([await call('a'), await call('b')]).toEqual([null, null]);
});
