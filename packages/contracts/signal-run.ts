/** What a node of a chain is: a fact, its meaning, a side effect. */
export type NodeKind = 'source' | 'signal' | 'action';

/** A node as a workflow knows it: no payload, only who handles it, in order. */
export interface NodeRef {
  readonly id: string;
  readonly kind: NodeKind;
  readonly type: string;
  readonly depth: number;
  readonly handlers: readonly string[];
}

/** Why a handler failed; `message` ≤ 1 kB, keys and tokens redacted. */
export interface StepError {
  readonly code: string;
  readonly message: string;
}

/** What a handler's activity answers the scheduler. */
export type StepAnswer =
  | { readonly status: 'none' }
  | { readonly status: 'dispatch'; readonly nodes: readonly NodeRef[] }
  | { readonly status: 'wait'; readonly lane: string; readonly reason: string | null }
  | { readonly status: 'schedule'; readonly key: string; readonly reason: string | null }
  | { readonly status: 'conclude'; readonly reason: string }
  | { readonly status: 'failed'; readonly error: StepError }
  /** An action and the node of its result signal. */
  | { readonly status: 'executed'; readonly result: 'applied' | 'skipped' | 'failed'; readonly nodes: readonly NodeRef[] }
  /** The host starts this agent run and settles the action with what became of it. */
  | { readonly status: 'start'; readonly operationId: string };

/** How an event's run ended, for its producer. */
export interface EventOutcome {
  readonly status: 'completed' | 'waiting' | 'scheduled' | 'concluded' | 'failed';
  readonly reason: string | null;
}

/** State of an event in the inbox. */
export type EventState = 'pending' | 'processing' | 'waiting' | 'done' | 'failed';

/** A run of an event so far, without its queue: what an activity needs to see whether its answer is the last. */
export interface RunSummary {
  /** The first terminal result, which names the event's status. */
  readonly terminal: EventOutcome | null;
  /** Handlers that failed. */
  readonly failed: readonly string[];
  readonly nodes: number;
  readonly actions: number;
}

/** State in which a run leaves its event. */
export const stateOf = ({ status }: EventOutcome): EventState => {
  if (status === 'failed') return 'failed';
  return status === 'waiting' || status === 'scheduled' ? 'waiting' : 'done';
};
