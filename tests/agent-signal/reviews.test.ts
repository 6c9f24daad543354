import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { declareSelfFeedbackIntent } from '../../activities/policies/reviews/declare.ts';
import { writeFlag } from '../../packages/database/agents.ts';
import { readRows } from '../../packages/database/database.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { idleMs: 2_000, retryFirstMs: 20, retryMaxMs: 50, attempts: 3 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig({ signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const emit = async (body: Record<string, unknown>) => {
  const answer = await signals.emit(body);
  if (answer === undefined || answer.deduped) throw new Error('did not run');
  return answer.run;
};
const nightly = (more: object = {}, sourceId = `nightly-review:${signals.user}:a1:2026-05-03`) => ({
  sourceType: 'agent.nightly_review.requested',
  sourceId,
  payload: {
    agentId: 'a1',
    userId: signals.user,
    localDate: '2026-05-03',
    timezone: 'Asia/Shanghai',
    requestedAt: '2026-05-03T18:00:00.000Z',
    reviewWindowStart: '2026-05-02T16:00:00.000Z',
    reviewWindowEnd: '2026-05-03T16:00:00.000Z',
    ...more,
  },
});
const reviewRows = () => readRows<{ state: string; attempts: number }>(rig.db, sql`select state, attempts from signal_reviews`);

describe('a review', () => {
  test('is dispatched once, and its row is done when its run is', async () => {
    expect(await emit(nightly())).toMatchObject({ status: 'concluded', reason: 'dispatched' });
    await waitUntil({ what: 'the review done', timeoutMs: 20_000, probe: async () => (await reviewRows())[0]?.state === 'done' });
    await waitUntil({ what: 'its summary', timeoutMs: 20_000, probe: async () => (await signals.count('signal_receipts')) === 1 });
  });

  test('R5: of another date than its id, or switched off, is concluded so', async () => {
    expect(await emit(nightly({ localDate: '2026-05-04' }))).toMatchObject({ status: 'concluded', reason: 'invalid_payload' });
    await rig.pool.query(`insert into agents (id, user_id, self_iteration) values ('a2', $1, false)`, [signals.user]);
    const off = nightly({ agentId: 'a2' }, `nightly-review:${signals.user}:a2:2026-05-03`);
    expect(await emit(off)).toMatchObject({ status: 'concluded', reason: 'gate_disabled' });
    expect(await reviewRows()).toEqual([]);
  });

  test('R3: of which one is active or done is deduped, one whose dispatch failed is dispatched again', async () => {
    const { user } = signals;
    await emit(nightly());
    const again = { ...nightly(), scopeKey: 'topic:elsewhere' };
    expect(await emit(again)).toMatchObject({ reason: 'deduped' });
    await rig.pool.query(`update signal_reviews set state = 'open'`);
    await rig.pool.query(`update signal_actions set state = 'failed'`);
    expect(await emit({ ...nightly(), scopeKey: 'topic:third' })).toMatchObject({ reason: 'dispatched' });
    expect(await readRows(rig.db, sql`select attempts from signal_reviews where owner_id = ${user}`)).toEqual([{ attempts: 2 }]);
  });
});

describe('a declared intent', () => {
  const intent = (toolCallId: string, more: object = {}) => ({
    ownerId: signals.user,
    userId: signals.user,
    agentId: 'a1',
    action: 'write',
    kind: 'memory',
    confidence: 0.8,
    reason: 'r',
    summary: 's',
    toolCallId,
    operationId: 'op1',
    ...more,
  });
  const declare = (toolCallId: string, more: object = {}) =>
    declareSelfFeedbackIntent(
      { db: rig.db, model: null, isOnByDefault: true },
      intent(toolCallId, more),
      async (event) => (await signals.enqueue(event)).accepted,
    );

  test('R5: is refused by the first check that fails', async () => {
    expect(await declare('c1', { action: 'burn', kind: 'bad' })).toEqual({ accepted: false, reason: 'invalid_action' });
    expect(await declare('c1', { kind: 'bad', confidence: 2 })).toEqual({ accepted: false, reason: 'invalid_kind' });
    expect(await declare('c1', { confidence: 2 })).toEqual({ accepted: false, reason: 'invalid_confidence' });
    await writeFlag(rig.db, { userId: signals.user, flag: 'enableAgentSelfIteration', isOn: false });
    expect(await declare('c1')).toEqual({ accepted: false, reason: 'intent_gate_rejected' });
  });

  test('R5: has room for three in an operation, whoever counts', async () => {
    for (const id of ['c1', 'c2', 'c3']) expect(await declare(id)).toMatchObject({ accepted: true });
    expect(await declare('c4')).toEqual({ accepted: false, reason: 'rate_limited' });
    expect(await declare('c5', { operationId: 'op2' })).toMatchObject({ accepted: true });
    await signals.ended(3, 'operation:op1');
    const ended = await readRows<{ reason: string }>(rig.db, sql`select reason from signal_events where source_id like '%:op1:%'`);
    expect(ended.map(({ reason }) => reason)).toEqual(['dispatched', 'dispatched', 'dispatched']);
  });
});

describe('counters', () => {
  const outcome = (id: string, status: 'succeeded' | 'failed', more: object = {}) => ({
    sourceType: status === 'failed' ? 'tool.outcome.failed' : 'tool.outcome.completed',
    sourceId: `tool-outcome:search:unknown:${status}:${id}`,
    payload: { tool: { identifier: 'search' }, outcome: { status }, agentId: 'a1', taskId: 'k1', toolCallId: id, ...more },
  });
  const requests = () =>
    readRows<{ reason: string; start: string; end: string }>(
      rig.db,
      sql`select payload->>'reason' as reason, payload->>'windowStart' as start, payload->>'windowEnd' as "end" from signal_events
          where source_type = 'agent.self_reflection.requested' order by id`,
    );

  test('R6: the second failure of a tool in a task asks for one reflection, whose window ends with it', async () => {
    const at = Date.parse('2026-05-03T10:00:00.000Z');
    for (const [index, id] of ['c1', 'c2', 'c3'].entries()) await emit({ ...outcome(id, 'failed'), timestamp: at + (index + 2) * 1_000 });
    expect(await requests()).toEqual([{ reason: 'same_tool_failure_count', start: '2026-05-03T10:00:02.000Z', end: '2026-05-03T10:00:03.000Z' }]);
  });

  test('R6: ten successes in two scopes at once ask for exactly one', async () => {
    const all = Array.from({ length: 10 }, (_, index) => ({
      ...outcome(`s${index}`, 'succeeded'),
      scopeKey: index % 2 === 0 ? 'task:k1' : 'task:k2',
    }));
    await Promise.all(all.map((body) => signals.enqueue(body)));
    await waitUntil({ what: 'ten counted', timeoutMs: 20_000, probe: async () => (await signals.count('signal_counts')) === 10 });
    await waitUntil({ what: 'the request', timeoutMs: 20_000, probe: async () => (await requests()).length > 0 });
    expect((await requests()).map(({ reason }) => reason)).toEqual(['tool_call_count']);
  });

  test('R6: an outcome of no place is a signal and counts nowhere', async () => {
    const { trace } = await emit(outcome('c1', 'failed', { taskId: undefined }));
    expect(trace.nodes.map(({ type }) => type)).toEqual(['signal.tool.outcome']);
    expect(await signals.count('signal_counts')).toBe(0);
  });

  test('an outcome that settled the matter marks its message as handled', async () => {
    await emit(outcome('c1', 'succeeded', { domainKey: 'memory:user-preference', intentClass: 'explicit_persistence', messageId: 'm1' }));
    const markers = await readRows<{ key: string; domain: string }>(rig.db, sql`select key, domain from signal_procedures where kind = 'marker'`);
    expect(markers).toEqual([{ key: 'message:m1', domain: 'memory:user-preference' }]);
  });
});
