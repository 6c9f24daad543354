import { describe, expect, test } from 'vitest';
import { createAction, createSignal, createSource } from './builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSourceHandler } from './define.ts';
import { createHandlerRegistry } from './registry.ts';

const source = createSource({ sourceId: 'm1', type: 'agent.user.message', payload: { message: 'hi' } });

describe('builders', () => {
  test('N1: link every node to its root', () => {
    const signal = createSignal({ parent: source, type: 'signal.x', payload: {}, id: 'm1:signal:x' });
    const action = createAction({ parent: signal, type: 'action.x', payload: {}, id: 'm1:action:x' });
    const result = createSignal({ parent: action, type: 'signal.action.applied', payload: {}, id: 'm1:action:x:result' });
    expect([source, signal, action, result].map(({ chain }) => chain.depth)).toEqual([0, 1, 2, 3]);
    for (const { chain } of [source, signal, action, result]) expect(chain).toMatchObject({ chainId: 'chain:m1', rootSourceId: 'm1' });
    expect(signal.chain.parentNodeId).toBe('m1');
    expect(action).toMatchObject({ signal: { id: 'm1:signal:x' }, source: { id: 'm1' }, chain: { parentSignalId: 'm1:signal:x' } });
    expect(result.chain).toMatchObject({ parentNodeId: 'm1:action:x', parentActionId: 'm1:action:x' });
  });

  test('give a node without an id a random one', () => {
    const signal = () => createSignal({ parent: source, type: 'signal.x', payload: {} });
    expect(signal().signalId).toMatch(/^signal:[0-9a-f-]{36}$/);
    expect(signal().signalId).not.toBe(signal().signalId);
  });
});

describe('the registry', () => {
  const handle = () => null;
  const action = (id: string) => defineActionHandler({ id, on: 'action.x', handle: () => ({ status: 'applied' }) });

  test('names the handlers of a type in the order of their registration', () => {
    const registry = createHandlerRegistry([
      defineAgentSignalHandlers('a', [defineSourceHandler({ id: 'a.one', on: 'agent.user.message', handle }), action('a.act')]),
      defineAgentSignalHandlers('b', [defineSourceHandler({ id: 'b.one', on: ['agent.user.message', 'probe.event'], handle })]),
    ]);
    expect(registry.handlersOf('source', 'agent.user.message')).toEqual(['a.one', 'b.one']);
    expect(registry.refOf(source)).toMatchObject({ id: 'm1', kind: 'source', depth: 0, handlers: ['a.one', 'b.one'] });
  });

  test('refuses an id that is used twice, and a second executor of an action', () => {
    const twice = defineSourceHandler({ id: 'a.one', on: 'agent.user.message', handle });
    expect(() => createHandlerRegistry([defineAgentSignalHandlers('a', [twice, twice])])).toThrow('the handler id a.one is used twice');
    expect(() => createHandlerRegistry([defineAgentSignalHandlers('a', [action('a.act'), action('b.act')])])).toThrow(
      'action.x has a second executor',
    );
  });
});
