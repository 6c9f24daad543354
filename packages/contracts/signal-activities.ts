import type { RawSignal, ScopeStatus } from './agent-signal-scope.ts';
import type { ScopeIdentity } from './scope-identity.ts';
import type { SignalLimits } from './signal-limits.ts';
import type { EventOutcome, EventState, NodeRef, RunSummary, StepAnswer } from './signal-run.ts';

/** An event that a run of a scope holds, or a due continuation of one. */
export interface ClaimedEvent {
  /** Row id of the event, a decimal. */
  readonly eventId: string;
  /** Fencing token: every write of this claim carries it. */
  readonly token: number;
  readonly sourceType: string;
  readonly sourceId: string;
  /** Where the run begins: the source, or the node whose time has come. */
  readonly node: NodeRef;
  /** A run that goes on after a wait: the timer's row. */
  readonly timerId?: string;
}

export interface ClaimRequest extends ScopeIdentity {
  readonly runId: string;
  readonly buildId: string;
  /** Most events to take. */
  readonly limit: number;
  /** Events whose producers wait for an answer. */
  readonly awaited: readonly string[];
  /** Outcomes of events that ended without a call. */
  readonly ended: readonly { readonly eventId: string; readonly token: number; readonly outcome: EventOutcome }[];
  readonly wantsStatus: boolean;
}

export interface Claimed {
  readonly events: readonly ClaimedEvent[];
  readonly states: readonly { readonly eventId: string; readonly state: EventState }[];
  /** Until the earliest timer is due, or a caller's lease ends; null: nothing is to be waited for. */
  readonly nextDueInMs: number | null;
  readonly status: Omit<ScopeStatus, keyof ScopeIdentity | 'currentEvent'> | null;
  readonly limits: SignalLimits;
}

export interface StepRequest {
  readonly eventId: string;
  readonly token: number;
  readonly node: Omit<NodeRef, 'handlers'>;
  readonly handlerId: string;
  /** Type of the fact that began the chain. */
  readonly sourceType: string;
  /** Nothing else is queued: an answer that adds nothing ends the event. */
  readonly isLast: boolean;
  /** The call goes on after a wait: its stored answer does not count. */
  readonly timerId?: string;
  readonly summary: RunSummary;
  /** An action beyond the event's budget is skipped. */
  readonly isOverBudget: boolean;
  /** Claimed as soon as the event is settled with this call's answer. */
  readonly next?: ClaimRequest;
}

export interface StepResult {
  readonly answer: StepAnswer;
  /** The event was settled with the answer. */
  readonly settled: EventState | null;
  /** A derived event of the same scope is to run next. */
  readonly isFollowed?: boolean;
  /** What `next` brought; absent where the event was not settled with the answer, or the claim did not succeed. */
  readonly claimed?: Claimed;
}

/** Activities of a scope, registered as `agentSignalScope.<verb>`. */
export interface ScopeActivities {
  claim(request: ClaimRequest): Promise<Claimed>;
  /** Makes rows of what came by signal; answers how much of it was rejected. */
  accept(
    request: ScopeIdentity & { readonly raw: readonly RawSignal[]; readonly runId: string; readonly firstPlace: number },
  ): Promise<{ readonly rejected: number }>;
  runHandler(request: StepRequest): Promise<StepResult>;
  runAction(request: StepRequest): Promise<StepResult>;
  /** Settles the action whose agent run was started, or could not be. */
  settleStart(request: StepRequest & { readonly operationId: string; readonly failure: string | null }): Promise<StepResult>;
  /** Stores that a call was given up without an answer, by time-out or a lost worker. */
  giveUp(request: StepRequest & { readonly message: string }): Promise<StepResult>;
  settle(request: { readonly eventId: string; readonly token: number; readonly outcome: EventOutcome }): Promise<{ readonly state: EventState }>;
}

/** Failure type of a call whose claim another run has taken over. */
export const CLAIM_LOST = 'ClaimLost';
