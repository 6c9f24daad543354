import type { FlowOwner } from './flow-control.ts';
import type { FlowLimit, LimitSource } from './flow-limits.ts';
import type { FlowTell } from './flow-messages.ts';

/** What applies to a key by order of an operator or of a deployment; `limit` null: nobody ordered one, the contract's applies. */
export interface FlowSetting {
  readonly limit: FlowLimit | null;
  readonly source: LimitSource;
  readonly isPaused: boolean;
}

/** What an operator changes: a given limit replaces the former whole (null gives it up), `isPaused` the pause. */
export interface FlowChange {
  readonly key: string;
  readonly limit?: FlowLimit | null;
  readonly isPaused?: boolean;
}

/** Activities around limiters, registered as `flowControl.<verb>`. */
export interface FlowActivities {
  /** Sends a message to the limiter of its key, starting it if none runs. */
  tell(message: FlowTell): Promise<void>;
  loadSetting(request: { readonly key: string }): Promise<FlowSetting>;
  /** Stores an operator's setting; answers what applies now. */
  saveSetting(change: FlowChange): Promise<FlowSetting>;
  /** Those of the given owners that closed at least two seconds ago, or that nobody knows. */
  findClosed(request: { readonly owners: readonly FlowOwner[] }): Promise<readonly FlowOwner[]>;
}

/** What starts a limiter, or what it carries over. */
export interface LimiterStart<State = unknown> {
  readonly v: 1;
  readonly key: string;
  readonly limit: FlowLimit;
  /** Events after which it continues as new (3,000). */
  readonly eventBudget?: number;
  readonly state?: State;
}

/** A run in a limiter's status. */
export interface FlowHolder {
  readonly workflowId: string;
  readonly permits: number;
  readonly want: number;
  readonly startsWaiting: number;
  readonly since: string;
}

/** Answer of a limiter's `status` query. */
export interface FlowStatus {
  readonly key: string;
  readonly limit: FlowLimit;
  readonly source: LimitSource;
  readonly isPaused: boolean;
  readonly heldUntil: string | null;
  readonly permits: number;
  /** Runs that hold permits or wait for some. */
  readonly runs: readonly FlowHolder[];
  readonly asOf: string;
}
