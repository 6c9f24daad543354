import { describe, expect, test } from 'vitest';
import { scopeWorkflowId } from '../contracts/scope-identity.ts';
import { deriveOwnerId, deriveScopeKey, findScopeKeyProblem } from './scope-key.ts';

describe('a scope key', () => {
  test.each([
    [{ topicId: 't1', taskId: 'k1', userId: 'u1' }, 'topic:t1'],
    [{ taskId: 'k1', platform: 'wechat', applicationId: 'app', platformThreadId: 'th1' }, 'task:k1'],
    [{ platform: 'wechat', applicationId: 'app', platformThreadId: 'th1' }, 'bot:wechat:app:th1'],
    [{ platform: 'a:b', applicationId: 'c', platformThreadId: 'd' }, 'bot:a%3Ab:c:d'],
    [{ agentId: 'a1', userId: 'u1' }, 'agent:a1:user:u1'],
    [{ userId: 'u1' }, 'user:u1'],
    [{ platform: 'wechat', applicationId: 'app', userId: 'u1' }, 'user:u1'],
    [{ topicId: '  ', userId: 'u1' }, 'user:u1'],
    [{}, 'fallback:global'],
    [{ agentId: 'a1' }, 'fallback:global'],
    [{ operationId: 'op1', userId: 'u1' }, 'operation:op1'],
  ])('of %j is %s', (parts, expected) => {
    expect(deriveScopeKey(parts)).toBe(expected);
  });

  test('given by a server is taken if it begins with a known kind', () => {
    expect(findScopeKeyProblem('topic:t1')).toBeUndefined();
    for (const key of ['t1', 'topic:', 'room:1']) expect(findScopeKeyProblem(key)).toContain('topic:');
  });

  test('is bounded in bytes, as the index that keeps it is, and holds nothing that no column can', () => {
    expect(findScopeKeyProblem(`topic:${'t'.repeat(894)}`)).toBeUndefined();
    for (const long of [`topic:${'t'.repeat(895)}`, `topic:${'\u{1F600}'.repeat(300)}`]) expect(findScopeKeyProblem(long)).toContain('900 bytes');
    for (const odd of ['topic:a\0', 'topic:\uD83D']) expect(findScopeKeyProblem(odd)).toContain('without NUL');
  });

  test('of two tuples is never the same, whatever is in their parts', () => {
    expect(deriveScopeKey({ agentId: 'a:user:b', userId: 'c' })).not.toBe(deriveScopeKey({ agentId: 'a', userId: 'b:user:c' }));
    expect(deriveOwnerId({ userId: 'ws:x' })).not.toBe(deriveOwnerId({ workspaceId: 'x', userId: 'u' }));
  });
});

describe('a workflow id', () => {
  test('can be typed', () => {
    expect(scopeWorkflowId({ ownerId: 'u1', scopeKey: 'topic:t1' })).toBe('agent-signal/u1/topic:t1');
  });

  test('of long or odd parts is their readable start and a hash, at most 255 bytes', () => {
    const long = scopeWorkflowId({ ownerId: 'o'.repeat(200), scopeKey: `topic:${'t'.repeat(600)}` });
    expect(long.length).toBeLessThanOrEqual(255);
    const odd = scopeWorkflowId({ ownerId: 'u1', scopeKey: 'topic:größe 1' });
    expect(odd).toMatch(/^agent-signal\/u1\/topic:gr-e-1~[0-9a-f]{20}$/);
    expect(odd).not.toBe(scopeWorkflowId({ ownerId: 'u1', scopeKey: 'topic:grösse 1' }));
  });
});
