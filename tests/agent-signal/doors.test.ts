import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createExecAgentActivities } from '../../activities/exec-agent.ts';
import { emitWithStore } from '../../activities/agent-signal/emit-with-store.ts';
import { executeEvent } from '../../activities/agent-signal/execute.ts';
import { createLocalRuntime } from '../../activities/agent-signal/local-runtime.ts';
import { createMemoryInbox } from '../../activities/agent-signal/memory-inbox.ts';
import { createHydrationPolicy } from '../../activities/policies/hydration/index.ts';
import { createPolicies } from '../../activities/policies/index.ts';
import { defineAgentSignalHandlers, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import { createHandlerRegistry } from '../../packages/agent-signal/registry.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { writeFlag } from '../../packages/database/agents.ts';
import { storeMessage } from '../../packages/database/conversations.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';
import { userMessage } from './stub-model.ts';

const LIMITS = { idleMs: 1_000, emitWaitMs: 1_000, retryFirstMs: 20, retryMaxMs: 50, attempts: 3, pending: 50, acceptedPerSecond: 1_000 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig({ signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const setFlag = (isOn: boolean) => writeFlag(rig.db, { userId: signals.user, flag: 'enableAgentSelfIteration', isOn });
const makePrivate = () => rig.pool.query(`insert into agents (id, user_id, is_private) values ('a9', 'somebody-else', true)`);

describe('gates', () => {
  test('D2: switched off, an event is politely no, and nothing is stored', async () => {
    await setFlag(false);
    expect(await signals.enqueue(probeEvent('m1'))).toMatchObject({ accepted: false, scopeKey: 'topic:t1', workflowRunId: '' });
    expect(await signals.emit(probeEvent('m1'))).toBeUndefined();
    expect(await signals.count('signal_events')).toBe(0);
    await expect(signals.scope().describe()).rejects.toThrow('not found');
  });

  test('D2: a gate that throws is a no', async () => {
    await rig.pool.query('alter table user_flags rename column is_on to was_on');
    expect(await signals.emit(probeEvent('m1'))).toBeUndefined();
  });

  test("D3: another user's private agent is refused before the feature gate, and nothing is stored", async () => {
    await makePrivate();
    await setFlag(false);
    const refused = { name: 'EventRefused', type: 'AgentNotUsable' };
    await expect(signals.enqueue(userMessage('m1', { agentId: 'a9' }))).rejects.toMatchObject(refused);
    await expect(signals.enqueue({ ...probeEvent('m2'), agentId: 'a9' })).rejects.toMatchObject(refused);
    expect(await signals.count('signal_events')).toBe(0);
  });

  test('L3: more than may wait in a scope are told to come back, and another scope takes its own', async () => {
    const slow = signals.enqueue(probeEvent('slow', { sleepMs: 1_500 }));
    await slow;
    const answers = await Promise.allSettled(Array.from({ length: 80 }, (_, index) => signals.enqueue(probeEvent(`m${index}`))));
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as { type: string; retryAfterSeconds: number }] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) expect(each).toMatchObject({ type: 'BacklogFull', retryAfterSeconds: 10 });
    expect(await signals.enqueue(probeEvent('other', {}, { scopeKey: 'topic:other' }))).toMatchObject({ accepted: true });
    await signals.ended(81 - refused.length);
    expect(await signals.status()).toMatchObject({ done: 81 - refused.length, failed: 0 });
  });

  test('too many in a second are told to come back, and nothing of them is stored', async () => {
    const few = createSignals(rig, { ...LIMITS, acceptedPerSecond: 5 });
    const answers = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => few.enqueue(probeEvent(`m${index}`))));
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(5);
    expect(refused[0]).toMatchObject({ reason: { type: 'RateLimited', retryAfterSeconds: 1 } });
    expect(await signals.count('signal_events')).toBe(20 - refused.length);
  });
});

describe('emit', () => {
  test('D8: one that ends in time is completed with its trace, a longer one is pending and done later', async () => {
    expect(await signals.emit(probeEvent('quick', { sleepMs: 100, actions: 1 }))).toMatchObject({
      run: { status: 'completed', trace: { results: [{}, {}] } },
    });
    expect(await signals.emit(probeEvent('long', { sleepMs: 3_000 }))).toMatchObject({ run: { status: 'pending' } });
    await signals.ended(2);
    expect(await signals.event('long')).toMatchObject({ state: 'done' });
  });

  test('N8: a type that nobody handles is completed without a handler', async () => {
    const answer = await signals.emit({ sourceType: 'client.gateway.error', sourceId: 'e1', payload: { operationId: 'op1', topicId: 't1' } });
    expect(answer).toMatchObject({ run: { status: 'completed', trace: { nodes: [], results: [] } }, trigger: { windowEventCount: 1 } });
    const second = await signals.emit({
      sourceType: 'runtime.before_step',
      sourceId: 'op1:before:1',
      payload: { operationId: 'op1', stepIndex: 1, topicId: 't1' },
    });
    expect(second).toMatchObject({ trigger: { windowEventCount: 2 } });
  });
});

const registryOf = () => createHandlerRegistry(createPolicies({ db: rig.db, model: rig.deps.signals.model, isOnByDefault: true }));
const parsed = (sourceId: string, payload: object = {}) => ({
  ownerId: signals.user,
  scopeKey: 'topic:t1',
  sourceType: 'probe.event',
  sourceId,
  payload: payload as Record<string, unknown>,
  userId: signals.user,
});
const execute = (sourceId: string, payload: object = {}, more: object = {}) =>
  executeEvent(
    {
      db: rig.db,
      registry: registryOf(),
      limits: { ...SIGNAL_LIMITS, ...LIMITS },
      isOnByDefault: true,
      taskQueue: rig.taskQueue,
      wake: rig.deps.signals.wake,
      startRun: async () => undefined,
      ...more,
    },
    parsed(sourceId, payload),
  );

describe('execute', () => {
  test('D10: runs in the process of its caller, gate or no gate, and leaves the scope free', async () => {
    await setFlag(false);
    expect(await execute('m1', { actions: 1 })).toMatchObject({ deduped: false, run: { status: 'completed' } });
    expect(await execute('m1')).toMatchObject({ deduped: true, reason: 'duplicate', state: 'done' });
    expect(await signals.count('signal_probes')).toBe(1);
    await expect(signals.scope().describe()).rejects.toThrow('not found');
  });

  test('D9: while the scope is at work the row stays for it', async () => {
    await signals.enqueue(probeEvent('long', { sleepMs: 700 }));
    await waitUntil({ what: 'the scope at work', timeoutMs: 10_000, probe: async () => (await signals.status())?.processing === 1 });
    expect(await execute('m1')).toMatchObject({ deduped: true, reason: 'scope_locked' });
    await signals.ended(2);
    expect(await signals.endOrder()).toEqual(['long', 'm1']);
  });

  test('an event that comes while a caller holds the scope runs when the lease is over', async () => {
    const running = execute('m1', { sleepMs: 500 });
    await waitUntil({ what: 'the lease', timeoutMs: 10_000, probe: async () => (await signals.status())?.processing === 1 });
    await signals.enqueue(probeEvent('m2'));
    await running;
    await signals.ended(2);
    expect(await signals.endOrder()).toEqual(['m1', 'm2']);
  });
});

describe('without Temporal', () => {
  test('D10: emitWithStore runs over a store of its own; the same event again is a duplicate', async () => {
    const isolated = { inbox: createMemoryInbox(), registry: registryOf(), limits: SIGNAL_LIMITS, orders: [], caused: [] };
    expect(await emitWithStore(isolated, parsed('m1'))).toMatchObject({ deduped: false, run: { status: 'completed' } });
    expect(await emitWithStore(isolated, parsed('m1'))).toMatchObject({ deduped: true, reason: 'duplicate', state: 'done' });
    expect(await signals.count('signal_events')).toBe(0);
  });

  test('D11: local mode answers first, is serial within a scope and parallel across, and takes a failed event again', async () => {
    const log: string[] = [];
    let fails = true;
    const policy = defineAgentSignalHandlers('trial', [
      defineSourceHandler({
        id: 'trial.event',
        on: 'probe.event',
        handle: async ({ node, scope }) => {
          log.push(`${scope.scopeKey} ${node.sourceId} begins`);
          await new Promise((resolve) => setTimeout(resolve, 30));
          log.push(`${scope.scopeKey} ${node.sourceId} ends`);
          if (node.sourceId === 'bad' && fails) throw Object.assign(new Error('no'), { type: 'ProviderRefused', retryable: false });
          return null;
        },
      }),
    ]);
    const registry = createHandlerRegistry([policy]);
    const local = createLocalRuntime({
      registry,
      limits: SIGNAL_LIMITS,
      runAgent: async () => undefined,
      onError: (error) => log.push(String(error)),
    });
    const sender = { door: 'server', caller: { kind: 'service', userId: 'u1' } } as const;
    expect(local.enqueue(probeEvent('m1'), sender)).toEqual({ accepted: true, scopeKey: 'topic:t1', workflowRunId: 'local-m1', sourceId: 'm1' });
    local.enqueue(probeEvent('m2'), sender);
    local.enqueue(probeEvent('x1', {}, { scopeKey: 'topic:x' }), sender);
    expect(log).toEqual([]);
    await local.idle();
    expect(log.filter((line) => line.startsWith('topic:t1'))).toEqual([
      'topic:t1 m1 begins',
      'topic:t1 m1 ends',
      'topic:t1 m2 begins',
      'topic:t1 m2 ends',
    ]);
    expect(log.indexOf('topic:x x1 begins')).toBeLessThan(log.indexOf('topic:t1 m1 ends'));
    local.enqueue(probeEvent('bad'), sender);
    await local.idle();
    fails = false;
    expect(local.enqueue(probeEvent('bad'), sender)).not.toHaveProperty('deduped');
    await local.idle();
    expect(local.enqueue(probeEvent('bad'), sender)).toMatchObject({ deduped: true, state: 'done' });
  });
});

test('in local mode a turn that begins is hydrated, and its message is handled in its own scope', async () => {
  const handled: object[] = [];
  await storeMessage(rig.db, {
    id: 'm1',
    userId: 'u1',
    agentId: 'a1',
    topicId: 't1',
    threadId: null,
    parentId: null,
    role: 'user',
    content: 'short answers',
    metadata: null,
  });
  const trial = defineSourceHandler({
    id: 'trial.message',
    on: 'agent.user.message',
    handle: ({ node, scope }) => {
      handled.push({ ...scope, sourceId: node.sourceId, message: node.payload.message });
      return null;
    },
  });
  const policies = [createHydrationPolicy({ db: rig.db, model: null, isOnByDefault: true }), defineAgentSignalHandlers('trial', [trial])];
  const errors: unknown[] = [];
  const local = createLocalRuntime({
    registry: createHandlerRegistry(policies),
    limits: SIGNAL_LIMITS,
    runAgent: async () => undefined,
    onError: (error) => errors.push(error),
  });
  const start = {
    sourceType: 'client.runtime.start',
    sourceId: 's1',
    payload: { operationId: 'op1', topicId: 't9', agentId: 'a1', parentMessageId: 'm1' },
  };
  local.enqueue(start, { door: 'browser', caller: { kind: 'user', userId: 'u1' } });
  await local.idle();
  expect(handled).toEqual([{ ownerId: 'u1', scopeKey: 'topic:t1', userId: 'u1', sourceId: 'm1', message: 'short answers' }]);
  expect(errors).toEqual([]);
});

test('D12: the same topic and fact of two users are two scopes', async () => {
  const other = createSignals(rig, LIMITS);
  for (const each of [signals, other]) await each.enqueue(probeEvent('m1', { actions: 1 }));
  for (const each of [signals, other]) expect(await each.ended(1)).toMatchObject({ done: 1 });
  expect(await signals.count('signal_probes')).toBe(2);
});

test('an agent run is started by its action only', async () => {
  expect(Object.keys(createExecAgentActivities(rig.deps))).toContain('execAgent.think');
  const handle = await rig.client.workflow.start('execAgent', { workflowId: `exec-agent/${signals.user}`, taskQueue: rig.taskQueue, args: [{}] });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
});
