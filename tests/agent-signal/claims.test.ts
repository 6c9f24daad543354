import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endAgentRun } from '../../activities/agent-signal/end-run.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { findSilentOperations, reserveOperation } from '../../packages/database/agent-operations.ts';
import { claimEvents, openScope } from '../../packages/database/signal-claims.ts';
import { acceptEvent } from '../../packages/database/signal-inbox.ts';
import { leaseEvent } from '../../packages/database/signal-lease.ts';
import { findSleepers } from '../../packages/database/signal-sweep.ts';
import { payloadConverterOption } from '../../packages/runtime/data-converter.ts';
import { sweepScopes } from '../../packages/runtime/signal-sweep.ts';
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

test('a scope takes as many pending events as its bound says, and not one more', async () => {
  const bounded = createSignals(rig, { pending: 3 });
  for (const id of ['m1', 'm2', 'm3']) await bounded.enqueue(probeEvent(id));
  await expect(bounded.enqueue(probeEvent('m4'))).rejects.toMatchObject({ type: 'BacklogFull' });
  expect(await bounded.status()).toMatchObject({ pending: 3 });
});

/** An agent run of the event's action, ordered five minutes ago. */
const orderRun = async (eventId: string): Promise<void> => {
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
};

test('an agent run that its event is still to start is not taken for lost', async () => {
  await orderRun(await accept('m1'));
  expect(await findSilentOperations(rig.db)).toEqual([]);
  await rig.pool.query(`update signal_events set state = 'done'`);
  expect(await findSilentOperations(rig.db)).toEqual(['op-1']);
});

describe('a sweep', () => {
  const sweep = (client: Client) => sweepScopes({ client, db: rig.db, limits: { ...SIGNAL_LIMITS, sweepAfterMs: 0 }, taskQueue: rig.taskQueue });
  /** A client that reaches no scope whose workflow id holds the word. */
  const clientWithout = (word: string): Client =>
    new Client({
      connection: rig.connection,
      namespace: rig.namespace,
      dataConverter: payloadConverterOption(),
      interceptors: {
        workflow: [
          {
            signalWithStart: (input, next) => (input.options.workflowId.includes(word) ? Promise.reject(new Error('unreachable')) : next(input)),
          },
        ],
      },
    });
  const acceptUnheard = (scopeKey: string) => {
    const event = { ownerId: signals.user, userId: signals.user, scopeKey, sourceType: 'probe.event', sourceId: 'm1', payload: {} };
    return acceptEvent(rig.db, event, { limits: SIGNAL_LIMITS });
  };

  test('goes on past scopes that it cannot reach, says how many they were, and the next one reaches them', async () => {
    const reached = ['topic:a', 'topic:b'];
    const away = Array.from({ length: 12 }, (_, index) => `topic:away-${index}`);
    for (const scopeKey of [...away, ...reached]) await acceptUnheard(scopeKey);
    expect(await sweep(clientWithout('away'))).toEqual({ woken: 2, restarted: 0, failed: 12 });
    for (const scopeKey of reached) expect(await signals.scope(scopeKey).describe()).toMatchObject({ status: { name: 'RUNNING' } });
    await expect(signals.scope('topic:away-0').describe()).rejects.toThrow('not found');
    expect(await sweep(rig.client)).toEqual({ woken: 14, restarted: 0, failed: 0 });
    for (const scopeKey of away) expect(await signals.scope(scopeKey).describe()).toMatchObject({ status: { name: 'RUNNING' } });
  });
});

test('the end of an agent run is told though its scope cannot be woken, and the next event sends a wake', async () => {
  await orderRun(await accept('m1'));
  await rig.pool.query('update signal_scopes set wake_at = null');
  const deps = { db: rig.db, signals: { ...rig.deps.signals, wake: () => Promise.reject(new Error('no Temporal')) } };
  await endAgentRun(deps, { operationId: 'op-1', state: 'done', steps: 1, reason: 'done', taskQueue: rig.taskQueue });
  expect(await signals.event('op-1:complete:done')).toMatchObject({ state: 'pending' });
  expect(await signals.enqueue(probeEvent('m2'))).toMatchObject({ wake: 'sent' });
});
