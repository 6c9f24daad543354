import { describe, expect, test } from 'vitest';
import { createAction } from '../../packages/agent-signal/builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import type { EmitAnswer, HandlerScope } from '../../packages/agent-signal/handler-context.ts';
import { createHandlerRegistry } from '../../packages/agent-signal/registry.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { createLocalRuntime } from './local-runtime.ts';

const sender = { door: 'server', caller: { kind: 'service', userId: 'u1' } } as const;
const probe = (sourceId: string, more: object = {}) => ({ sourceType: 'probe.event', sourceId, payload: {}, scopeKey: 'topic:t1', ...more });

const open = (handlers: readonly HandlerDefinition[]) => {
  const runs: string[] = [];
  const runtime = createLocalRuntime({
    registry: createHandlerRegistry([defineAgentSignalHandlers('trial', handlers)]),
    limits: SIGNAL_LIMITS,
    runAgent: async (_order, operationId) => void runs.push(operationId),
    onError: (error) => {
      throw error;
    },
  });
  return { runtime, runs };
};

describe('in local mode', () => {
  test('a policy that feeds itself stops at the causation depth, and is told why', async () => {
    const seen: string[] = [];
    const answers: EmitAnswer[] = [];
    const { runtime } = open([
      defineSourceHandler({
        id: 'again',
        on: 'probe.event',
        handle: async ({ emit, node }) => {
          seen.push(node.sourceId);
          answers.push(await emit({ sourceType: 'probe.event', sourceId: `${node.sourceId}+`, payload: {} }));
          return null;
        },
      }),
    ]);
    runtime.enqueue(probe('m'), sender);
    await runtime.idle();
    expect(seen).toEqual(['m', 'm+', 'm++', 'm+++', 'm++++']);
    expect(answers.at(0)).toEqual({ accepted: true });
    expect(answers.at(-1)).toEqual({ accepted: false, reason: 'cause_depth_exceeded' });
  });

  test('what is caused is of the same people, and has no clock of its own', async () => {
    const scopes: HandlerScope[] = [];
    const { runtime } = open([
      defineSourceHandler({
        id: 'once',
        on: 'probe.event',
        handle: async ({ emit, node, scope }) => {
          scopes.push(scope);
          if (node.sourceId === 'm1') await emit({ sourceType: 'probe.event', sourceId: 'm2', payload: {}, scopeKey: 'topic:t2' });
          return null;
        },
      }),
    ]);
    runtime.enqueue(probe('m1', { agentId: 'a1', workspaceId: 'w1', timestamp: 7 }), sender);
    await runtime.idle();
    const people = { ownerId: 'ws:w1', userId: 'u1', agentId: 'a1', workspaceId: 'w1' };
    expect(scopes).toEqual([
      { ...people, scopeKey: 'topic:t1', timestamp: 7 },
      { ...people, scopeKey: 'topic:t2' },
    ]);
  });

  test('a derived event runs right behind its original, before what waits, or in its own scope', async () => {
    const seen: string[] = [];
    const { runtime } = open([
      defineSourceHandler({
        id: 'derive',
        on: 'probe.event',
        handle: ({ node: { sourceId }, scope: { scopeKey } }) => {
          seen.push(`${scopeKey} ${sourceId}`);
          const derived = {
            sourceType: 'probe.event',
            sourceId: `${sourceId} derived`,
            payload: {},
            scopeKey: sourceId === 'm1' ? scopeKey : 'topic:t2',
          };
          return sourceId.endsWith('derived') ? null : { status: 'conclude', concluded: { reason: 'derived', derived } };
        },
      }),
    ]);
    runtime.enqueue(probe('m1'), sender);
    runtime.enqueue(probe('m2'), sender);
    await runtime.idle();
    expect(seen).toEqual(['topic:t1 m1', 'topic:t1 m1 derived', 'topic:t1 m2', 'topic:t2 m2 derived']);
  });

  test('each agent run that is ordered is started under an id of its own', async () => {
    const run = { agentId: 'a1', marker: { kind: 'skill', sourceId: 'm' }, prompt: 'p', maxSteps: 1, detail: 'd', failureCode: 'c' } as const;
    const { runtime, runs } = open([
      defineSourceHandler({
        id: 'ask',
        on: 'probe.event',
        handle: ({ node }) => ({
          status: 'dispatch',
          actions: ['a', 'b'].map((key) =>
            createAction({ parent: node, type: 'action.run', id: `${node.sourceId}${key}`, payload: { idempotencyKey: `${node.sourceId}${key}` } }),
          ),
        }),
      }),
      defineActionHandler({ id: 'run', on: 'action.run', handle: () => ({ status: 'start', run }) }),
    ]);
    for (const each of ['m1', 'm2']) runtime.enqueue(probe(each), sender);
    await runtime.idle();
    expect(new Set(runs).size).toBe(4);
  });
});
