import type { EventCause } from './signal-events.ts';
import type { EventOutcome, EventState, StepAnswer } from './signal-run.ts';
import type { NodeRow, NewTimer, ActionSettlement, ActionRequest, Reservation } from './signal-records.ts';

/** One handler call of a claim. */
export interface StepKey {
  readonly eventId: string;
  readonly token: number;
  readonly nodeId: string;
  readonly handlerId: string;
  readonly timerId?: string | undefined;
}

/** What a call needs to know: the event, its node, and the answer if there is one already. */
export interface LoadedStep {
  readonly isHeld: boolean;
  readonly scopeId: string;
  readonly ownerId: string;
  readonly scopeKey: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly context: { readonly userId: string; readonly agentId?: string; readonly workspaceId?: string; readonly timestamp?: number };
  readonly cause: EventCause | null;
  /** How often the event has waited because a provider asked for it. */
  readonly pauses: number;
  /** Scheduled hops of the event so far. */
  readonly hops: number;
  /** Null: the node is the source. */
  readonly node: unknown;
  readonly answer: StepAnswer | null;
}

/** An answer to be stored with all that comes of it. */
export interface StepRecord extends StepKey {
  readonly scopeId: string;
  readonly answer: StepAnswer;
  /** What the handler returned. */
  readonly result: unknown;
  readonly attempt: number;
  readonly startedAt: string;
  readonly nodes: readonly NodeRow[];
  readonly action: ActionSettlement | null;
  readonly timer: NewTimer | null;
  /** Set: the event is settled with it. */
  readonly outcome: EventOutcome | null;
}

/** Where the steps of events are kept: Postgres, or memory for isolated runs. */
export interface StepStore {
  /** Undefined: there is no such event. */
  load(key: StepKey): Promise<LoadedStep | undefined>;
  /** State of the event afterwards; null where another claim has taken it over: then nothing is stored. */
  store(record: StepRecord): Promise<EventState | null>;
  reserve(request: ActionRequest): Promise<Reservation>;
  /** One atomic step of a guard of the scope, on the store's clock. */
  changeGuard<T>(
    guard: { readonly scopeId: string; readonly key: string },
    step: (state: object | null, nowMs: number) => { readonly state: object; readonly answer: T },
  ): Promise<T>;
}
