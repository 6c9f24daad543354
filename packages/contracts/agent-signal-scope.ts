import type { ScopeIdentity } from './scope-identity.ts';

/** Workflow type of a scope: the one consumer of an owner's events of one scope key. */
export const SCOPE_TYPE = 'agentSignalScope';

/** Workflow type that wakes what was missed; a Schedule starts it. */
export const SWEEP_TYPE = 'agentSignalSweep';

/** Wire names between senders and a scope. */
export const SCOPE_MESSAGES = {
  /** An event straight from Temporal's tools. */
  sourceEvent: 'sourceEvent',
  /** There is something in the inbox; carries nothing and never harms. */
  wake: 'wake',
  /** Runs an accepted event and answers its state. */
  processEvent: 'processEvent',
  status: 'scopeStatus',
} as const;

/** Start input of a scope; `carry` is a run's own and refused from anybody else. */
export interface ScopeStart extends ScopeIdentity {
  readonly carry?: ScopeCarry;
}

/** What one run of a scope hands to the next. */
export interface ScopeCarry {
  readonly v: 1;
  readonly rejected: number;
  /** Events by signal that are no rows yet. */
  readonly raw: readonly RawSignal[];
}

/** What a signal brought: its first argument as it came, or, where that is too big, how it began. */
export interface RawSignal {
  readonly name: string;
  readonly body?: unknown;
  /** Why it cannot be an event, whatever it says. */
  readonly fault?: 'unknown_signal' | 'extra_argument' | 'payload_too_large' | 'too_deep';
  readonly bytes: number;
  readonly excerpt: string;
}

/** Answer of a scope's `scopeStatus` query; the same fields as `strata signal status`, as of its last claim. */
export interface ScopeStatus extends ScopeIdentity {
  readonly pending: number;
  readonly processing: number;
  readonly waiting: number;
  readonly done: number;
  readonly failed: number;
  readonly rejected: number;
  readonly timers: number;
  readonly currentEvent: string | null;
  readonly lastFailure: string | null;
  readonly asOf: string;
}
