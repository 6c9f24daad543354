import type { Chain, NodeLink, SourceNode, SignalNode, ActionNode, AgentSignalNode } from './nodes.ts';
import { nodeIdOf } from './nodes.ts';

const linkOf = (node: AgentSignalNode): NodeLink => ({ id: nodeIdOf(node), type: node.type });

const sourceOf = (node: AgentSignalNode): NodeLink => (node.kind === 'source' ? linkOf(node) : node.source);

/** Builds the root of a chain. */
export const createSource = <Payload>(source: {
  readonly sourceId: string;
  readonly type: string;
  readonly payload: Payload;
}): SourceNode<Payload> => ({
  kind: 'source',
  ...source,
  chain: { chainId: `chain:${source.sourceId}`, rootSourceId: source.sourceId, depth: 0 },
});

/** What a new node is made from; without an id it gets a random one, so a policy gives it one of its own. */
export interface NewNode<Payload> {
  readonly parent: AgentSignalNode;
  readonly type: string;
  readonly payload: Payload;
  readonly id?: string;
}

const below = (parent: AgentSignalNode): Chain => ({
  chainId: parent.chain.chainId,
  rootSourceId: parent.chain.rootSourceId,
  depth: parent.chain.depth + 1,
  parentNodeId: nodeIdOf(parent),
});

/** Builds a signal below the node whose handler found it. */
export const createSignal = <Payload>({ parent, type, payload, id }: NewNode<Payload>): SignalNode<Payload> => ({
  kind: 'signal',
  signalId: id ?? `signal:${crypto.randomUUID()}`,
  type,
  payload,
  source: sourceOf(parent),
  chain: { ...below(parent), ...(parent.kind === 'action' ? { parentActionId: parent.actionId } : {}) },
});

/** Builds an action below the signal that asks for it. */
export const createAction = <Payload>({ parent, type, payload, id }: NewNode<Payload>): ActionNode<Payload> => ({
  kind: 'action',
  actionId: id ?? `action:${crypto.randomUUID()}`,
  type,
  payload,
  signal: linkOf(parent),
  source: sourceOf(parent),
  chain: { ...below(parent), ...(parent.kind === 'signal' ? { parentSignalId: parent.signalId } : {}) },
});
