import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRows } from '../../packages/database/database.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { storeMessage } from '../../packages/database/conversations.ts';
import { listReceipts } from '../../packages/database/signal-receipts.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals } from './signals.ts';
import type { Signals } from './signals.ts';
import { createStubModel, domains, satisfaction, skillIntent, userMessage } from './stub-model.ts';
import type { StubModel } from './stub-model.ts';

const LIMITS = { idleMs: 2_000, retryFirstMs: 20, retryMaxMs: 50, attempts: 3 };

let rig: Rig;
let signals: Signals;
let model: StubModel;

beforeEach(async () => {
  model = createStubModel();
  rig = await createRig({ signalLimits: LIMITS, signalModel: model });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const say = (id: string, role: 'user' | 'assistant' | 'tool', more: object = {}) =>
  storeMessage(rig.db, {
    id,
    userId: signals.user,
    agentId: 'a1',
    topicId: 't1',
    threadId: null,
    parentId: null,
    role,
    content: `text of ${id}`,
    metadata: null,
    ...more,
  });
const emit = async (body: { readonly sourceId: string } & Record<string, unknown>) => {
  const answer = await signals.emit(body);
  if (answer === undefined || answer.deduped) throw new Error(`${body.sourceId} did not run`);
  return answer;
};
const notes = async (sourceId: string, handlerId: string) =>
  (await signals.trace(sourceId)).results.flatMap((each) =>
    each.handlerId === handlerId ? ((each.result as { notes?: string[] } | null)?.notes ?? []) : [],
  );
const actionKeys = async () => (await readRows<{ key: string }>(rig.db, sql`select key from signal_actions order by key`)).map(({ key }) => key);
const receipts = async () => (await listReceipts(rig.db, { ownerId: signals.user, limit: 50 })).receipts;
const client = (type: string, payload: object, sourceId = `op1:${type}`) => ({
  sourceType: type,
  sourceId,
  payload: { operationId: 'op1', ...payload },
});

describe('hydration', () => {
  const start = (payload: object) => client('client.runtime.start', { topicId: 't9', agentId: 'a1', ...payload });

  test('H1: a turn that begins becomes its stored message, in the scope of its own topic', async () => {
    model.answer('satisfaction', satisfaction('neutral'));
    await say('m1', 'user');
    expect(await emit(start({ parentMessageId: 'm1' }))).toMatchObject({
      run: { status: 'concluded', reason: 'hydrated' },
      derived: { scopeKey: 'topic:t1', sourceType: 'agent.user.message', sourceId: 'm1' },
    });
    await signals.ended(1, 'topic:t1');
    expect(await signals.event('m1', 'topic:t1')).toMatchObject({
      state: 'done',
      payload: { message: 'text of m1', trigger: 'client.runtime.start', serializedContext: expect.stringContaining('<feedback id="m1"') },
    });
  });

  test('H1: a derived event of the same scope runs before what waits already, and a known one is not run again', async () => {
    model.answer('satisfaction', satisfaction('neutral'));
    await say('m1', 'user');
    await signals.enqueue({ sourceType: 'probe.event', sourceId: 'p0', payload: { sleepMs: 500 }, scopeKey: 'topic:t1' });
    await signals.enqueue({ ...start({ parentMessageId: 'm1' }), scopeKey: 'topic:t1' });
    await signals.enqueue({ sourceType: 'probe.event', sourceId: 'p1', payload: {}, scopeKey: 'topic:t1' });
    await signals.ended(4);
    expect(await signals.endOrder()).toEqual(['p0', 'op1:client.runtime.start', 'm1', 'p1']);
    await emit({ ...start({ parentMessageId: 'm1' }), sourceId: 'again', scopeKey: 'topic:t1' });
    expect(model.calls).toEqual(['satisfaction']);
  });

  test.each([
    ['assistant parent', { parentMessageId: 'a' }, 'non-user-parent'],
    ['no parent', {}, 'missing-parent-message-id'],
    ['unknown parent', { parentMessageId: 'nobody' }, 'message-not-found'],
  ])('H2: a turn that begins with %s runs as it is', async (_what, payload, reason) => {
    await say('a', 'assistant');
    expect(await emit(start(payload))).toMatchObject({ run: { status: 'completed' } });
    expect(await notes('op1:client.runtime.start', 'hydration.start')).toEqual([`not hydrated: ${reason}`]);
  });

  test('H2: a completion that was cancelled, or whose parents go in a circle, runs as it is', async () => {
    await say('x', 'assistant', { parentId: 'y' });
    await say('y', 'tool', { parentId: 'x' });
    await emit(client('client.runtime.complete', { assistantMessageId: 'x', status: 'cancelled' }, 'c1'));
    await emit(client('client.runtime.complete', { assistantMessageId: 'x', status: 'completed' }, 'c2'));
    expect(await notes('c1', 'hydration.complete')).toEqual(['not hydrated: non-completed-status']);
    expect(await notes('c2', 'hydration.complete')).toEqual(['not hydrated: non-user-parent']);
  });

  test('A10, A13: start and completion of a turn make one action per domain, and a hinted document its skill', async () => {
    model.answer('satisfaction', satisfaction('not_satisfied'));
    model.answer('domain', domains('memory', 'none'));
    await say('m1', 'user');
    await say('t', 'tool', { parentId: 'm1', metadata: { documents: [{ id: 'd1', hintIsSkill: true }] } });
    await say('m2', 'assistant', { parentId: 't' });
    await emit({ ...start({ parentMessageId: 'm1' }), scopeKey: 'topic:t1' });
    await emit({ ...client('client.runtime.complete', { assistantMessageId: 'm2', status: 'completed' }), scopeKey: 'topic:t1' });
    await signals.ended(4);
    expect(await actionKeys()).toEqual(['m1:memory:m1', 'm1:skill:m1']);
  });
});

describe('a completed turn', () => {
  const completed = (reason: string, payload: object = {}) => ({
    sourceType: 'agent.execution.completed',
    sourceId: `op1:complete:${reason}`,
    payload: { operationId: 'op1', steps: 3, reason, topicId: 't1', agentId: 'a1', assistantMessageId: 'm2', ...payload },
  });

  beforeEach(async () => {
    model.answer('satisfaction', satisfaction('not_satisfied'));
    model.answer('domain', domains('skill'));
    model.answer('skill-intent', skillIntent('explicit_action', 'direct_decision'));
    await say('m1', 'user');
    await say('m2', 'assistant', { parentId: 'm1' });
  });
  const park = () => emit(userMessage('m1', { trigger: 'bot' }));
  const candidates = () => readRows<{ state: string }>(rig.db, sql`select state from signal_candidates`);

  test.each([['parked first'], ['completed first']])('C1: takes up its parked skill once: %s', async (order) => {
    if (order === 'parked first') await park();
    await emit(completed('done'));
    if (order === 'completed first') await park();
    expect(await actionKeys()).toEqual(['m1:skill:m1']);
    const { nodes } = await signals.trace(order === 'parked first' ? 'op1:complete:done' : 'm1');
    const action = nodes.find(({ type }) => type === 'action.skill-management.handle');
    expect(action).toMatchObject({ nodeId: 'm2:completion:m1:skill-management' });
    expect(action?.node).toMatchObject({ payload: { serializedContext: expect.stringContaining('<turn_trajectory>'), anchorMessageId: 'm2' } });
    expect(await candidates()).toEqual([{ state: 'synthesised' }]);
  });

  test('C2: a turn that waits for somebody takes nothing up, its end does, and a second end nothing more', async () => {
    await park();
    await emit(completed('waiting_for_human'));
    expect(await actionKeys()).toEqual([]);
    await emit(completed('done'));
    await emit(completed('max_steps'));
    expect(await actionKeys()).toEqual(['m1:skill:m1']);
    expect((await signals.trace('op1:complete:max_steps')).nodes).toEqual([]);
  });

  test('C3: a candidate of more than a week ago has expired', async () => {
    await park();
    await rig.pool.query(`update signal_candidates set parked_at = now() - interval '8 days'`);
    await emit(completed('done'));
    expect(await actionKeys()).toEqual([]);
    expect(await candidates()).toEqual([{ state: 'expired' }]);
  });

  test('C3: the completion of a run of ours is for receipts only', async () => {
    await park();
    const selfIteration = { marker: { kind: 'skill', sourceId: 'm1' }, userId: signals.user, mutations: [], artifacts: [] };
    await emit(completed('done', { selfIteration }));
    expect(await actionKeys()).toEqual([]);
    expect(await candidates()).toEqual([{ state: 'parked' }]);
  });
});

describe('receipts', () => {
  const own = (marker: object, mutations: readonly object[], sourceId = 'op7:complete:done') => ({
    sourceType: 'agent.execution.completed',
    sourceId,
    payload: {
      operationId: 'op7',
      steps: 2,
      agentId: 'a1',
      topicId: 't1',
      reason: 'done',
      selfIteration: { marker: { sourceId: 'm1', topicId: 't1', ...marker }, userId: signals.user, mutations, artifacts: [] },
    },
  });
  const write = (data: object = {}) => ({
    kind: 'memory',
    apiName: 'writeMemory',
    toolCallId: 'c1',
    data: { status: 'applied', target: { type: 'memory', title: 'short answers', memoryId: '7' }, ...data },
  });

  test('C4: a memory run has one receipt per confirmed write and no summary', async () => {
    await emit(own({ kind: 'memory' }, [write()]));
    expect(await receipts()).toMatchObject([{ id: 'm1:c1:memory', status: 'applied', title: 'short answers', target: { memoryId: '7' } }]);
    await emit(own({ kind: 'memory', sourceId: 'm9' }, [write({ status: 'failed' })], 'op8:complete:done'));
    expect(await receipts()).toHaveLength(1);
  });

  test('C5: a nightly run has a summary and one receipt per mutation; what is of another shape is counted', async () => {
    const mutations = [
      { kind: 'skill', apiName: 'createSkillIfAbsent', toolCallId: 'c1', data: { status: 'applied', target: { type: 'skill', title: 's' } } },
      { kind: 'proposal', apiName: 'createSelfReviewProposal', toolCallId: 'c2', data: { status: 'proposed', summary: 'p' } },
      { kind: 'skill', apiName: 'replaceSkillContentCAS', toolCallId: 'c3', data: { status: 'skipped_stale' } },
      { kind: 'skill', data: { status: 'applied' } },
    ];
    await emit(own({ kind: 'nightly-review', sourceId: 'nightly-review:u:a:2026-05-03' }, mutations));
    const all = (await receipts()).toReversed();
    expect(all.map(({ kind, status, id }) => `${kind} ${status} ${String(id).split(':').slice(4).join(':')}`)).toEqual([
      'review completed self-iteration-summary',
      'skill applied c1:skill',
      'review proposed c2:review',
      'skill skipped c3:skill',
    ]);
    expect(all[0]).toMatchObject({ metadata: { actionCount: 3 } });
    expect(all[2]).not.toHaveProperty('target');
    expect(await notes('op7:complete:done', 'completion.receipts')).toContain('1 results of another shape were ignored');
  });

  test('C6: the same completion again makes no other receipts, and one without a marker makes none', async () => {
    await emit(own({ kind: 'memory' }, [write()]));
    await emit(own({ kind: 'memory' }, [write()], 'op7:complete:again'));
    await emit({ sourceType: 'agent.execution.completed', sourceId: 'plain', payload: { operationId: 'op9', steps: 1, topicId: 't1' } });
    expect(await receipts()).toHaveLength(1);
  });

  test('C8: are listed newest first, of one topic, in pages', async () => {
    for (const id of ['m1', 'm2', 'm3']) await emit(own({ kind: 'memory', sourceId: id }, [write()], `${id}:done`));
    await emit(own({ kind: 'memory', sourceId: 'x1', topicId: 'other' }, [write()], 'x1:done'));
    const query = { ownerId: signals.user, agentId: 'a1', topicId: 't1' };
    const page = await listReceipts(rig.db, { ...query, limit: 2 });
    expect(page.receipts.map(({ id }) => id)).toEqual(['m3:c1:memory', 'm2:c1:memory']);
    const rest = await listReceipts(rig.db, { ...query, limit: 2, cursor: page.nextCursor ?? '' });
    expect(rest).toMatchObject({ receipts: [{ id: 'm1:c1:memory' }], nextCursor: null });
    const [newest] = page.receipts;
    expect(await listReceipts(rig.db, { ...query, limit: 2, sinceCreatedAt: newest?.createdAt })).toMatchObject({ receipts: [] });
  });
});
