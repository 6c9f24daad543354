import { describe, expect, test } from 'vitest';
import { SIGNAL_LIMITS } from '../contracts/signal-limits.ts';
import type { Caller } from './caller.ts';
import { parseEvent } from './events.schema.ts';
import type { Door, ParsedEvent } from './events.schema.ts';
import { AGENT_SIGNAL_SOURCE_TYPES } from './source-types.ts';

const SERVICE: Caller = { kind: 'service' };
const USER: Caller = { kind: 'user', userId: 'u1' };
const parse = (body: unknown, { door = 'server', caller = SERVICE }: { door?: Door; caller?: Caller } = {}): ParsedEvent =>
  parseEvent(body, { door, caller, limits: SIGNAL_LIMITS });
const message = { sourceType: 'agent.user.message', sourceId: 'm1', payload: { message: 'hi', messageId: 'm1', topicId: 't1' } };
const step = { sourceType: 'runtime.after_step', sourceId: 'op1:after:1', userId: 'u1', payload: { operationId: 'op1', stepIndex: 1 } };
const [windowStart, windowEnd] = ['2026-05-03T00:00:00.000Z', '2026-05-03T01:00:00.000Z'];
const request = { agentId: 'a1', userId: 'u1', scopeId: 't1', scopeType: 'topic', reason: 'r', windowStart, windowEnd };

describe('an event at a door', () => {
  test('there are 17 source types', () => {
    expect(new Set(AGENT_SIGNAL_SOURCE_TYPES).size).toBe(17);
  });

  test('is parsed into owner, scope and identity', () => {
    expect(parse({ ...message, userId: 'u1' })).toMatchObject({
      ok: true,
      event: { ownerId: 'u1', scopeKey: 'topic:t1', sourceType: 'agent.user.message', sourceId: 'm1', userId: 'u1' },
    });
    expect(parse({ ...message, userId: 'u1', workspaceId: 'w1' })).toMatchObject({ event: { ownerId: 'ws:w1' } });
  });

  test.each([
    [{ ...step, payload: { operationId: 'op1', stepIndex: '1' } }, 'payload.stepIndex', 'expected number'],
    [{ sourceType: 'agent.execution.completed', sourceId: 'x', userId: 'u1', payload: { operationId: 'op1', steps: -1 } }, 'payload.steps', '>=0'],
    [{ ...message, userId: 'u1', payload: { ...message.payload, topicID: 't1' } }, 'payload.topicID', 'did you mean topicId?'],
    [{ ...message, userId: 'u1', sourceId: '' }, 'sourceId', 'must not be blank'],
    [{ ...message, userId: 'u1', sourceId: '  ' }, 'sourceId', 'must not be blank'],
    [{ ...message, userId: 'u1', sourceType: 'agent.user.mesage' }, 'sourceType', 'unknown source type'],
    [message, 'userId', 'Missing userId'],
    [{ ...message, userId: 'u1', scopeKey: 'room:1' }, 'scopeKey', 'must begin with'],
    ['oops', '', 'expected an object'],
    [null, '', 'expected an object'],
  ])('D5, D6: %j is refused at %s', (body, path, reason) => {
    expect(parse(body)).toMatchObject({ ok: false, type: 'InvalidInput', problems: [{ path, message: expect.stringContaining(reason) }] });
  });

  test('D5: a confidence of 1.2 is refused', () => {
    const payload = { agentId: 'a1', userId: 'u1', action: 'write', kind: 'memory', confidence: 1.2, reason: 'r', summary: 's' };
    expect(parse({ sourceType: 'agent.self_feedback_intent.declared', sourceId: 'x', payload })).toMatchObject({
      problems: [{ path: 'payload.confidence' }],
    });
  });

  test('D6: names of the language are ordinary ids', () => {
    for (const sourceId of ['__proto__', 'constructor'])
      expect(parse({ ...message, userId: 'u1', sourceId })).toMatchObject({ ok: true, event: { sourceId } });
  });

  test('D4: each door takes its own types, a browser names no scope, and nobody speaks for another user', () => {
    const browser = { door: 'browser', caller: USER } as const;
    const start = { sourceType: 'client.runtime.start', sourceId: 'op1:client.runtime.start', payload: { operationId: 'op1' } };
    expect(parse(message, browser)).toMatchObject({ type: 'SourceTypeNotAllowed' });
    expect(parse(start, browser)).toMatchObject({ ok: true });
    expect(parse({ ...start, scopeKey: 'topic:t1' }, browser)).toMatchObject({ type: 'InvalidInput', problems: [{ path: 'scopeKey' }] });
    expect(parse({ ...message, userId: 'u2' }, { door: 'manual', caller: USER })).toMatchObject({
      type: 'InvalidInput',
      problems: [{ path: 'userId' }],
    });
    expect(parse(start, { door: 'manual', caller: USER })).toMatchObject({ type: 'SourceTypeNotAllowed' });
  });

  test('of a service is for whom it names, and for its own user or workspace where it names nobody', () => {
    const caller = { kind: 'service', userId: 'u1', workspaceId: 'w1' } as const;
    expect(parse(message, { caller })).toMatchObject({ event: { userId: 'u1', ownerId: 'ws:w1' } });
    expect(parse({ ...message, userId: 'u2', workspaceId: 'w2' }, { caller })).toMatchObject({ event: { userId: 'u2', ownerId: 'ws:w2' } });
  });

  test.each([
    [{ userId: 'u1' }, { userId: 'u2' }, 'userId'],
    [{ userId: 'u1' }, { workspaceId: 'w1' }, 'workspaceId'],
    [{ userId: 'u1' }, { payload: { ...request, userId: 'u2' } }, 'payload.userId'],
    [{ workspaceId: 'w1' }, { userId: 'u1', workspaceId: 'w2' }, 'workspaceId'],
  ])('of a service that is bound to %j is refused with %j, and taken for its own', (own, other, path) => {
    const caller = { kind: 'service', isBound: true, ...own } as const;
    const body = { sourceType: 'agent.self_reflection.requested', sourceId: 'x', userId: 'u1', payload: request };
    expect(parse({ ...body, ...other }, { caller })).toMatchObject({ ok: false, type: 'Forbidden', problems: [{ path }] });
    expect(parse({ ...body, ...own }, { caller })).toMatchObject({ ok: true, event: { userId: 'u1' } });
  });

  test('is refused when it is too big, or too far from its origin', () => {
    const big = { ...message, userId: 'u1', payload: { ...message.payload, documentPayload: { text: 'x'.repeat(300_000) } } };
    expect(parse(big)).toMatchObject({ type: 'PayloadTooLarge' });
    const cause = { rootSourceId: 'm0', chainId: 'chain:m0', depth: 5 };
    expect(parse({ ...message, userId: 'u1', cause })).toMatchObject({ type: 'CauseDepthExceeded' });
  });

  test('keeps nothing that no text column can hold', () => {
    const parsed = parse({ ...message, userId: 'u1', payload: { ...message.payload, message: 'a\0b\ud800' } });
    expect(parsed).toMatchObject({ event: { payload: { message: 'a\ufffdb\ufffd' } } });
  });
});
