import type { NodeKind, NodeRef } from '../contracts/signal-run.ts';
import { createSource } from './builders.ts';
import type { HandlerDefinition, PolicyBundle } from './define.ts';
import type { AgentSignalNode } from './nodes.ts';
import { nodeIdOf } from './nodes.ts';

/** Who handles what. */
export interface HandlerRegistry {
  /** Ids of a type's handlers, in the order of their registration. */
  handlersOf(kind: NodeKind, type: string): readonly string[];
  find(handlerId: string): HandlerDefinition | undefined;
  /** A node with the handlers that this version has for it. */
  refOf(node: AgentSignalNode): NodeRef;
  /** The node at which an event begins. */
  refOfSource(event: { readonly sourceId: string; readonly sourceType: string }): NodeRef;
}

/** Collects the handlers of all policies; throws where an id is used twice or an action has a second executor. */
export const createHandlerRegistry = (bundles: readonly PolicyBundle[]): HandlerRegistry => {
  const byId = new Map<string, HandlerDefinition>();
  const byType = new Map<string, string[]>();
  for (const { name, handlers } of bundles)
    for (const handler of handlers) {
      if (byId.has(handler.id)) throw new Error(`policy ${name}: the handler id ${handler.id} is used twice`);
      byId.set(handler.id, handler);
      for (const type of handler.types) {
        const key = `${handler.kind} ${type}`;
        const ids = byType.get(key) ?? [];
        if (handler.kind === 'action' && ids.length > 0)
          throw new Error(`policy ${name}: ${type} has a second executor, ${handler.id} beside ${ids[0]}`);
        byType.set(key, [...ids, handler.id]);
      }
    }
  const handlersOf = (kind: NodeKind, type: string): readonly string[] => byType.get(`${kind} ${type}`) ?? [];
  /** A handler may want the end of one type of action only: `signal.action.applied:action.x`. */
  const ofAction = ({ kind, type, payload }: AgentSignalNode): readonly string[] =>
    type.startsWith('signal.action.') && 'actionType' in payload ? handlersOf(kind, `${type}:${String(payload.actionType)}`) : [];
  const refOf = (node: AgentSignalNode): NodeRef => ({
    id: nodeIdOf(node),
    kind: node.kind,
    type: node.type,
    depth: node.chain.depth,
    handlers: [...handlersOf(node.kind, node.type), ...ofAction(node)],
  });
  return {
    handlersOf,
    find: (handlerId) => byId.get(handlerId),
    refOf,
    refOfSource: ({ sourceId, sourceType }) => refOf(createSource({ sourceId, type: sourceType, payload: {} })),
  };
};
