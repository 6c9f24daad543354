import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { findSilentOperations, reserveOperation } from '../../packages/database/agent-operations.ts';
import { claimEvents, openScope } from '../../packages/database/signal-claims.ts';
import { leaseEvent } from '../../packages/database/signal-lease.ts';
import { findSleepers } from '../../packages/database/signal-sweep.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  // Nobody claims but the test.
  rig = await createRig({ workers: 0, replay: false });
  signals = createSignals(rig);
});
afterEach(() => rig.close());

const open = (runId: string) => openScope({ ownerId: signals.user, scopeKey: 'topic:t1', runId, buildId: '' }, rig.db);
const accept = async (sourceId: string): Promise<string> => {
  await signals.enqueue(probeEvent(sourceId));
  return (await signals.event(sourceId)).eventId;
};
const leased = (eventId: string, leaseMs = 60_000) => leaseEvent(rig.db, { eventId, leaseToken: randomUUID(), leaseMs });

describe('a scope whose event a caller executes itself', () => {
  test('is claimed by nobody, even by a run that looked a moment before', async () => {
    const eventId = await accept('m1');
    const { scopeId, leasedMs } = await open('run-1');
    expect(leasedMs).toBe(0);
    expect(await leased(eventId)).toEqual({ token: 1 });
    expect(await claimEvents(rig.db, { scopeId, runId: 'run-1', size: 10, limits: SIGNAL_LIMITS })).toEqual([]);
    expect(await signals.event('m1')).toMatchObject({ state: 'processing' });
  });

  test('is found by the sweep when the caller is gone, though no run ever claimed in it', async () => {
    const eventId = await accept('m1');
    expect(await leased(eventId, 0)).not.toBeNull();
    const limits = { ...SIGNAL_LIMITS, sweepAfterMs: 0 };
    expect(await findSleepers(rig.db, limits)).toEqual([{ ownerId: signals.user, scopeKey: 'topic:t1' }]);
  });
});

test('an agent run that its event is still to start is not taken for lost', async () => {
  const eventId = await accept('m1');
  const operation = {
    operationId: 'op-1',
    ownerId: signals.user,
    scopeKey: 'topic:t1',
    userId: signals.user,
    workspaceId: null,
    agentId: 'a1',
    marker: null,
    prompt: 'p',
    context: null,
    maxSteps: 1,
    detail: 'd',
    failureCode: 'c',
    candidate: null,
    review: null,
  };
  await rig.pool.query(`insert into signal_actions (owner_id, key, state, event_id, node_id) values ($1, 'k', 'reserved', $2, 'n')`, [
    signals.user,
    eventId,
  ]);
  await reserveOperation(rig.db, operation, { key: 'k', threadId: null });
  await rig.pool.query(`update agent_operations set created_at = now() - interval '5 minutes'`);
  expect(await findSilentOperations(rig.db)).toEqual([]);
  await rig.pool.query(`update signal_events set state = 'done'`);
  expect(await findSilentOperations(rig.db)).toEqual(['op-1']);
});
