import type { ActionNode, SignalNode } from './nodes.ts';
import type { AgentRunRequest, ExecutorError } from './results.schema.ts';

/** Signals and actions that a handler adds; what is queued first is handled first, signals before actions. */
export interface DispatchResult {
  readonly status: 'dispatch';
  readonly signals?: readonly SignalNode<object>[] | undefined;
  readonly actions?: readonly ActionNode<object>[] | undefined;
}

/** The node waits in a lane: for so many ms, or for the lane's next event. */
export interface WaitResult {
  readonly status: 'wait';
  readonly pending: { readonly lane: string; readonly reason?: string | undefined; readonly delay?: number | undefined };
}

/** A node runs later, once, in the same chain. */
export interface ScheduleResult {
  readonly status: 'schedule';
  readonly nextHop: {
    readonly node: SignalNode<object> | ActionNode<object>;
    readonly key: string;
    readonly delayMs?: number | undefined;
    readonly at?: string | undefined;
    readonly reason?: string | undefined;
  };
}

/** The same fact with what is stored of it: an event of its own, which runs next where it is of the same scope. */
export interface DerivedEvent {
  readonly sourceType: string;
  readonly sourceId: string;
  readonly scopeKey: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The story ends here, for the reason given. */
export interface ConcludeResult {
  readonly status: 'conclude';
  readonly concluded: { readonly reason: string; readonly status?: string | undefined; readonly derived?: DerivedEvent | undefined };
}

/** What the handler of a source or a signal may answer; null and undefined: no opinion. */
export type RuntimeProcessorResult = DispatchResult | WaitResult | ScheduleResult | ConcludeResult;

/** What the handler of an action may answer: `failed` has an error, the others have none; `start` asks its host for an agent run. */
export type ExecutorOutcome =
  | { readonly status: 'applied' | 'skipped'; readonly detail?: string | undefined; readonly output?: unknown }
  | { readonly status: 'failed'; readonly error: ExecutorError; readonly detail?: string | undefined }
  | { readonly status: 'start'; readonly run: AgentRunRequest };
