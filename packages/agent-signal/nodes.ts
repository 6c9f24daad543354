/** A node's place in the story that its source began. */
export interface Chain {
  readonly chainId: string;
  readonly rootSourceId: string;
  readonly depth: number;
  readonly parentNodeId?: string | undefined;
  readonly parentSignalId?: string | undefined;
  readonly parentActionId?: string | undefined;
}

/** A pointer to a node. */
export interface NodeLink {
  readonly id: string;
  readonly type: string;
}

/** A fact as handlers see it. */
export interface SourceNode<Payload = Readonly<Record<string, unknown>>> {
  readonly kind: 'source';
  readonly sourceId: string;
  readonly type: string;
  readonly payload: Payload;
  readonly chain: Chain;
}

/** A meaning that a handler found. */
export interface SignalNode<Payload = Readonly<Record<string, unknown>>> {
  readonly kind: 'signal';
  readonly signalId: string;
  readonly type: string;
  readonly payload: Payload;
  readonly source: NodeLink;
  readonly chain: Chain;
}

/** One side effect to be made. */
export interface ActionNode<Payload = Readonly<Record<string, unknown>>> {
  readonly kind: 'action';
  readonly actionId: string;
  readonly type: string;
  readonly payload: Payload;
  readonly signal: NodeLink;
  readonly source: NodeLink;
  readonly chain: Chain;
}

/** Any node, whatever its payload. */
export type AgentSignalNode = SourceNode<object> | SignalNode<object> | ActionNode<object>;

/** Id of a node, whatever its kind. */
export const nodeIdOf = (node: AgentSignalNode): string => {
  if (node.kind === 'source') return node.sourceId;
  return node.kind === 'signal' ? node.signalId : node.actionId;
};
