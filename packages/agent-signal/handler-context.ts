import type { AgentSignalNode, SourceNode } from './nodes.ts';
import type { Guards } from './guards.ts';

/** Whose story a handler works in. */
export interface HandlerScope {
  readonly ownerId: string;
  readonly scopeKey: string;
  readonly userId: string;
  readonly agentId?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** The sender's clock, ms: data only. */
  readonly timestamp?: number | undefined;
}

/** What a handler is called with; its own ports come from its policy's factory. */
export interface HandlerContext<Node = AgentSignalNode> {
  readonly node: Node;
  /** The fact that began the chain. */
  readonly source: SourceNode;
  readonly scope: HandlerScope;
  /** Row id of the event. */
  readonly eventId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** True: the handler's own wait is over. */
  readonly isResumed: boolean;
  readonly guards: Guards;
  /** Leaves a note in the event's trace. */
  readonly note: (text: string) => void;
  /** Aborted at cancellation and at the attempt's time-out: hand it to whatever takes time. */
  readonly signal: AbortSignal;
  /** Makes the event durable in the same scope or another, caused by this one. */
  readonly emit: (event: CausedEvent) => Promise<EmitAnswer>;
}

/** An event that a handler causes. */
export interface CausedEvent {
  readonly sourceType: string;
  readonly sourceId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly scopeKey?: string;
}

export interface EmitAnswer {
  readonly accepted: boolean;
  /** Why it was not. */
  readonly reason?: string;
}
