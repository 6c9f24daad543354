import { expect, test } from 'vitest';
import { createAction, createSource } from '../../../packages/agent-signal/builders.ts';
import { ACTION_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { createOfflineModel } from '../../../packages/models/offline-model.ts';
import type { PolicyDeps } from '../deps.ts';
import { createMemoryExecutor } from './memory.ts';

const run = (deps: Partial<PolicyDeps>, payload: object) => {
  const source = createSource({ sourceId: 'm1', type: 'agent.user.message', payload: {} });
  const node = createAction({ parent: source, type: ACTION_TYPES.memory, payload: { idempotencyKey: 'm1:memory:m1', ...payload } });
  const { handle } = createMemoryExecutor({ model: createOfflineModel(), ...deps } as PolicyDeps);
  return handle({ node, source, scope: { ownerId: 'u1', scopeKey: 'topic:t1', userId: 'u1', agentId: 'a1' } } as never);
};

test('A12: a memory action without a message is skipped', () => {
  expect(run({}, { message: ' \n' })).toEqual({ status: 'skipped', detail: 'Missing memory action message.' });
});

test('A12: without a model a memory action fails for good', () => {
  expect(run({ model: null }, { message: 'Remember: short answers' })).toEqual({
    status: 'failed',
    error: { code: 'USER_MEMORY_EXECUTION_FAILED', message: 'no model is configured', retriable: false },
  });
});
