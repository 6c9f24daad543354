import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listReceipts } from '../../packages/database/signal-receipts.ts';
import { readRows } from '../../packages/database/database.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { keepProcedure } from '../../packages/database/signal-procedures.ts';
import { ModelError } from '../../packages/models/model-error.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals } from './signals.ts';
import type { Signals } from './signals.ts';
import { createStubModel, domains, satisfaction, skillIntent, userMessage } from './stub-model.ts';
import type { StubModel } from './stub-model.ts';

const LIMITS = { idleMs: 2_000, retryFirstMs: 20, retryMaxMs: 50, attempts: 3, runsPerHour: 3 };
const S = 'm1:signal:feedback-satisfaction';

let rig: Rig;
let signals: Signals;
let model: StubModel;

beforeEach(async () => {
  model = createStubModel();
  rig = await createRig({ signalLimits: LIMITS, signalModel: model });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const emit = async (sourceId = 'm1', payload: object = {}) => {
  const answer = await signals.emit(userMessage(sourceId, payload));
  if (answer === undefined || answer.deduped) throw new Error('not run');
  return answer.run;
};
const ids = async (sourceId = 'm1') => (await signals.trace(sourceId)).nodes.map(({ nodeId }) => nodeId);
const notes = async (sourceId = 'm1') =>
  (await signals.trace(sourceId)).results.flatMap(({ result }) => (result as { readonly notes?: readonly string[] } | null)?.notes ?? []);
const actionRows = () =>
  readRows<{ key: string; state: string; detail: string | null }>(
    rig.db,
    sql`select key, state, detail from signal_actions where key not like 'self-reflection:%' order by key`,
  );
const receipts = async () => (await listReceipts(rig.db, { ownerId: signals.user, limit: 50 })).receipts;
const runsEnded = (count: number) =>
  waitUntil({
    what: `${count} agent runs ended`,
    timeoutMs: 30_000,
    probe: async () =>
      (await readRows<{ n: number }>(rig.db, sql`select count(*)::int as n from agent_operations where finished_at is not null`))[0]?.n === count,
  });

describe('satisfaction', () => {
  test('A1: "Remember: short answers" becomes one memory write, whose receipt comes only from its completion', async () => {
    model.answer('satisfaction', satisfaction('not_satisfied'));
    model.answer('domain', domains('memory'));
    expect(await emit()).toMatchObject({ status: 'completed' });
    expect(await ids()).toEqual([S, `${S}:domain:memory`, `${S}:domain:memory:action:memory`, `${S}:domain:memory:action:memory:result`]);
    expect(await actionRows()).toEqual([{ key: 'm1:memory:m1', state: 'applied', detail: 'Memory write enqueued.' }]);
    await runsEnded(1);
    await signals.ended(2);
    expect(await receipts()).toMatchObject([
      { id: 'm1:c1-1:memory', kind: 'memory', status: 'applied', sourceId: 'm1', topicId: 't1', agentId: 'a1', target: { type: 'memory' } },
    ]);
    expect(await signals.count('user_memories')).toBe(1);
  });

  test('A2: a neutral message asks for no domain', async () => {
    model.answer('satisfaction', satisfaction('neutral'));
    expect(await emit()).toMatchObject({ status: 'completed' });
    expect(await ids()).toEqual([S]);
    expect(model.calls).toEqual(['satisfaction']);
  });

  test('A2: an empty message asks nobody', async () => {
    expect(await emit('m1', { message: '  \n' })).toMatchObject({ status: 'concluded', reason: 'empty message' });
    expect(model.calls).toEqual([]);
  });

  test('A2: an answer of another shape ends the event and is kept for diagnosis, without a second try', async () => {
    model.answer('satisfaction', satisfaction('angry'));
    expect(await emit()).toMatchObject({ status: 'concluded', reason: 'malformed satisfaction classifier output' });
    expect(model.calls).toEqual(['satisfaction']);
    expect(await signals.count('signal_diagnostics')).toBe(1);
    expect(await signals.event('m1')).toMatchObject({ state: 'done' });
  });

  test('Q3: a redrive asks no model that has answered', async () => {
    model.answer('satisfaction', satisfaction('not_satisfied'));
    model.answer('domain', () => {
      throw new ModelError('HTTP 400', { type: 'ProviderRefused', retryable: false });
    });
    expect(await emit()).toMatchObject({ status: 'failed' });
    model.answer('domain', domains('memory'));
    expect(await signals.enqueue(userMessage())).toMatchObject({ reopened: true });
    await signals.ended(1);
    expect(model.calls.filter((task) => task === 'satisfaction')).toHaveLength(1);
    expect(await actionRows()).toMatchObject([{ key: 'm1:memory:m1' }]);
  });
});

describe('domains', () => {
  beforeEach(() => model.answer('satisfaction', satisfaction('not_satisfied')));

  test('A3: memory named twice counts once, and a direct skill has its own action', async () => {
    model.answer('domain', domains(['memory', 0.9], ['memory', 0.7], ['skill', 0.8]));
    model.answer('skill-intent', skillIntent('explicit_action', 'direct_decision'));
    await emit();
    expect((await ids()).filter((id) => /:domain:[a-z]+$/.test(id))).toEqual([`${S}:domain:memory`, `${S}:domain:skill`]);
    expect((await actionRows()).map(({ key }) => key)).toEqual(['m1:memory:m1', 'm1:skill:m1']);
  });

  test.each([
    [['memory', 'none'], ['memory'], 'none: conflict:memory'],
    [['prompt', 'skill'], ['prompt'], 'skill: conflict:prompt'],
    [['memory', 'prompt'], ['memory'], 'prompt: conflict:memory'],
    [['none'], ['none'], undefined],
  ])('A4: of %j stays %j', async (given, kept, note) => {
    model.answer('domain', domains(...given));
    await emit();
    expect((await ids()).filter((id) => /:domain:[a-z]+$/.test(id))).toEqual(kept.map((target) => `${S}:domain:${target}`));
    expect(await notes()).toEqual(note === undefined ? [] : [note]);
    expect((await actionRows()).map(({ key }) => key)).toEqual(kept.includes('memory') ? ['m1:memory:m1'] : []);
  });

  test('A5: five targets from the model are malformed', async () => {
    model.answer('domain', domains('memory', 'skill', 'prompt', 'none', 'memory'));
    expect(await emit()).toMatchObject({ status: 'concluded', reason: 'malformed domain classifier output' });
    expect(await actionRows()).toEqual([]);
  });

  test('A6: a skill classifier that fails falls back to a weak sign, and its error is kept without keys', async () => {
    model.answer('domain', domains('skill'));
    model.answer('skill-intent', () => {
      throw new Error(`no access with sk-abc12345678 ${'x'.repeat(1_000)}`);
    });
    await emit();
    const { nodes } = await signals.trace('m1');
    const found = nodes.find(({ type }) => type === 'signal.feedback.domain.skill') as { node: { payload: Record<string, string> } };
    const { payload } = found.node;
    expect(payload).toMatchObject({ skillRoute: 'accumulate', skillIntentConfidence: 0.35, skillIntentReason: 'insufficient-evidence' });
    expect(payload['skillIntentError']).toContain('[redacted-key]');
    expect(payload['skillIntentError']?.length).toBeLessThanOrEqual(480);
    expect(await actionRows()).toEqual([]);
  });

  test('A6: a weak sign with a direct decision contradicts itself', async () => {
    model.answer('domain', domains('skill'));
    model.answer('skill-intent', skillIntent('weak_positive', 'direct_decision'));
    await emit();
    const { nodes } = await signals.trace('m1');
    expect(nodes.find(({ type }) => type === 'signal.feedback.domain.skill')?.node).toMatchObject({
      payload: { skillRoute: 'accumulate', skillIntentConfidence: 0.35 },
    });
    expect(await actionRows()).toEqual([]);
  });

  test('A7: a direct skill is kept until its turn is complete', async () => {
    model.answer('domain', domains('skill'));
    model.answer('skill-intent', skillIntent('explicit_action', 'direct_decision'));
    expect(await emit('m1', { trigger: 'client.runtime.start' })).toMatchObject({ reason: 'skill intent recorded until client.runtime.complete' });
    expect(await emit('m2', { trigger: 'bot' })).toMatchObject({ reason: 'skill candidate parked until agent.execution.completed' });
    expect(await signals.count('signal_candidates')).toBe(1);
    expect(await actionRows()).toEqual([]);
  });

  test('A8: two weak signs make one scored signal, and the same records no other', async () => {
    model.answer('satisfaction', satisfaction('satisfied'));
    model.answer('domain', domains('skill'));
    model.answer('skill-intent', skillIntent('weak_positive', 'accumulate'));
    await emit('m1');
    await emit('m2');
    expect((await ids('m1')).filter((id) => id.includes('procedure'))).toEqual([]);
    const { nodes } = await signals.trace('m2');
    expect(nodes.find(({ type }) => type === 'signal.procedure.bucket.scored')?.node).toMatchObject({
      payload: { aggregateScore: 1.2, suggestedActions: ['maintain'] },
    });
    await emit('m3', { messageId: 'm2' });
    expect((await ids('m3')).filter((id) => id.includes('procedure'))).toEqual([]);
  });

  test('A9: a message that is marked as handled leads to no action', async () => {
    const scope = { ownerId: signals.user, scopeKey: 'topic:t1' };
    await keepProcedure(rig.db, scope, { kind: 'marker', domain: 'memory:user-preference', key: 'message:m1' });
    model.answer('domain', domains('memory'));
    await emit();
    const { nodes } = await signals.trace('m1');
    expect(nodes.find(({ nodeId }) => nodeId === `${S}:domain:memory:signal:procedure-suppressed`)?.node).toMatchObject({
      payload: { aggregateScore: 0 },
    });
    expect(await actionRows()).toEqual([]);
  });

  test('A10: a document hinted as a skill in the turn makes one skill action, and memory keeps its own', async () => {
    model.answer('domain', domains('memory', 'none'));
    await emit('m1', { trigger: 'client.runtime.complete', documentPayload: { hintIsSkill: true } });
    expect((await actionRows()).map(({ key }) => key)).toEqual(['m1:memory:m1', 'm1:skill:m1']);
  });
});

describe('actions', () => {
  beforeEach(() => {
    model.answer('satisfaction', satisfaction('not_satisfied'));
    model.answer('domain', domains('memory'));
  });

  test('A11, A13: what was applied under a key is not applied again', async () => {
    await emit('m1');
    const second = await signals.emit({ ...userMessage('m2:completion:m1', { messageId: 'm1', trigger: 'client.runtime.complete' }) });
    expect(second).toMatchObject({ run: { status: 'completed' } });
    const { results } = await signals.trace('m2:completion:m1');
    expect(results.at(-1)).toMatchObject({
      handlerId: 'user-memory.handle',
      result: { status: 'skipped', detail: 'Action idempotency key already applied.' },
    });
  });

  test('A12: without an agent an action is skipped, and beyond the budget of the hour, too', async () => {
    // Corrections would ask for a reflection, whose run counts, too.
    model.answer('satisfaction', satisfaction('satisfied'));
    await emit('m1', { agentId: undefined });
    expect(await actionRows()).toMatchObject([{ state: 'skipped', detail: 'no agent to remember for' }]);
    for (const id of ['m2', 'm3', 'm4', 'm5']) await emit(id);
    expect(await actionRows()).toMatchObject([
      {},
      { state: 'applied' },
      { state: 'applied' },
      { state: 'applied' },
      { key: 'm5:memory:m5', state: 'skipped', detail: 'agent run budget exceeded' },
    ]);
  });

  test('C7: an enqueued write whose run fails leaves no receipt, its action open and its failure an event', async () => {
    model.answer('agent-step', { nonsense: true });
    await emit();
    await runsEnded(1);
    await signals.ended(2);
    expect(await receipts()).toEqual([]);
    expect(await actionRows()).toMatchObject([{ key: 'm1:memory:m1', state: 'failed' }]);
    const failed = await readRows<{ type: string }>(
      rig.db,
      sql`select source_type as type from signal_events where source_type like 'agent.execution.%'`,
    );
    expect(failed).toEqual([{ type: 'agent.execution.failed' }]);
  });
});
