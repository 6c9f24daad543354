import { expect, test } from 'vitest';
import { defineAgentSignalHandlers, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import { createHandlerRegistry } from '../../packages/agent-signal/registry.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { runInProcess } from './in-process.ts';
import type { InProcessHost } from './in-process.ts';
import { createMemoryInbox } from './memory-inbox.ts';
import { ClaimLost } from './step-errors.ts';

const run = async (handlers: readonly HandlerDefinition[], more: Partial<InProcessHost> = {}) => {
  const inbox = createMemoryInbox();
  const registry = createHandlerRegistry([defineAgentSignalHandlers('trial', handlers)]);
  const event = { ownerId: 'u1', scopeKey: 'topic:t1', sourceType: 'probe.event', sourceId: 'm1', payload: {}, userId: 'u1' };
  const host: InProcessHost = {
    attempts: 3,
    signal: new AbortController().signal,
    deps: {
      store: inbox,
      registry,
      limits: SIGNAL_LIMITS,
      emit: async () => ({ accepted: true }),
      derive: async () => 'elsewhere',
      runs: { reserve: async () => null },
    },
    startRun: async () => undefined,
    keepStart: async () => ({ detail: '', failureCode: '' }),
    settle: async ({ eventId }, outcome) => inbox.settle(eventId, outcome),
    ...more,
  };
  return runInProcess(host, inbox.claim(inbox.accept(event).eventId, registry));
};

test('an event that another claim has ended answers nothing', async () => {
  expect(await run([])).toBe('done');
  expect(await run([], { settle: ({ eventId }) => Promise.reject(new ClaimLost(eventId)) })).toBeNull();
});

test('an event whose claim is lost between two attempts answers nothing', async () => {
  const lost = new AbortController();
  const failing = defineSourceHandler({
    id: 'trial',
    on: 'probe.event',
    handle: () => {
      // By then the call has failed, and its pause has begun.
      setImmediate(() => lost.abort(new ClaimLost('1')));
      throw Object.assign(new Error('HTTP 503'), { type: 'ProviderUnavailable', retryable: true });
    },
  });
  expect(await run([failing], { signal: lost.signal })).toBeNull();
});

test('what is wrong with the store is no lost claim', async () => {
  await expect(run([], { settle: () => Promise.reject(new Error('the database is away')) })).rejects.toThrow('the database is away');
});
