import type { FlowOwner } from '../contracts/flow-control.ts';
import type { FlowLimit, LimitSource } from '../contracts/flow-limits.ts';
import type { FlowAsk, FlowGrant } from '../contracts/flow-messages.ts';

/** What a limiter knows of one run: permits and start times as cumulative numbers, and what the run could use. */
export interface Lease {
  readonly owner: FlowOwner;
  readonly seq: number;
  readonly want: number;
  readonly granted: number;
  readonly returned: number;
  readonly startsAsked: number;
  readonly startsGranted: number;
  readonly leadMs: number;
  /** Permits that the run was last told to come down to. */
  readonly target: number | null;
  readonly sinceMs: number;
  /** When it last got a permit; since its first message if it never did. */
  readonly grantedAtMs: number;
}

/** Everything a limiter knows; JSON, carried over continue-as-new. */
export interface LimiterState {
  readonly key: string;
  readonly limit: FlowLimit;
  readonly source: LimitSource;
  readonly isPaused: boolean;
  readonly holdUntilMs: number | null;
  /** Earliest time of the next start: GCRA without burst (virtual scheduling). */
  readonly nextStartMs: number;
  /** Whose turn it is for what cannot be divided. */
  readonly turn: number;
  readonly leases: readonly Lease[];
}

/** What may happen to a limiter. */
export type LimiterEvent =
  | { readonly kind: 'asked'; readonly ask: FlowAsk }
  | { readonly kind: 'closed'; readonly owner: FlowOwner }
  | { readonly kind: 'configured'; readonly limit: FlowLimit | null; readonly source: LimitSource; readonly isPaused: boolean }
  | { readonly kind: 'held'; readonly untilMs: number }
  | { readonly kind: 'tick' };

/** A message and whom it goes to. */
export interface Sent {
  readonly owner: FlowOwner;
  readonly grant: FlowGrant;
}

/** Permits that a run holds. */
export const heldBy = ({ granted, returned }: Pick<Lease, 'granted' | 'returned'>): number => granted - returned;

export const isSameOwner = (one: FlowOwner, other: FlowOwner): boolean => one.workflowId === other.workflowId && one.firstRunId === other.firstRunId;

/** A limiter without runs. */
export const createLimiterState = (key: string, limit: FlowLimit, source: LimitSource): LimiterState => ({
  key,
  limit,
  source,
  isPaused: false,
  holdUntilMs: null,
  nextStartMs: 0,
  turn: 0,
  leases: [],
});
