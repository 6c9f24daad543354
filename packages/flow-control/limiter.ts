import { MAX_HOLD_MS, PROBE_MS } from '../contracts/flow-control.ts';
import type { FlowOwner } from '../contracts/flow-control.ts';
import type { FlowAsk, FlowGrant } from '../contracts/flow-messages.ts';
import { heldBy, isSameOwner } from './limiter-state.ts';
import type { Lease, LimiterEvent, LimiterState, Sent } from './limiter-state.ts';
import { dividePermits } from './permits.ts';
import { planStarts } from './start-times.ts';

/** The new state, what is sent, and when the limiter has to look again (ms, server time; null: only when something happens). */
export interface LimiterStep {
  readonly state: LimiterState;
  readonly sent: readonly Sent[];
  readonly wakeMs: number | null;
}

const leaseOf = (ask: FlowAsk, nowMs: number): Lease => ({
  owner: ask.owner,
  seq: ask.seq,
  want: ask.want,
  // A limiter that was terminated knows nothing of what it had granted: the run does.
  granted: ask.granted,
  returned: ask.returned,
  startsAsked: ask.startsAsked,
  startsGranted: ask.startsGranted,
  leadMs: ask.leadMs,
  target: null,
  sinceMs: nowMs,
  grantedAtMs: nowMs,
});

const merge = (lease: Lease, ask: FlowAsk): Lease => {
  const returned = Math.max(lease.returned, ask.returned);
  if (ask.seq <= lease.seq) return { ...lease, returned };
  return { ...lease, seq: ask.seq, want: ask.want, returned, startsAsked: ask.startsAsked, leadMs: ask.leadMs };
};

/** Applies an event to what is known, without granting anything yet. */
const take = (state: LimiterState, event: LimiterEvent, nowMs: number): LimiterState => {
  switch (event.kind) {
    case 'asked': {
      const { ask } = event;
      const isKnown = state.leases.some(({ owner }) => isSameOwner(owner, ask.owner));
      const leases = isKnown
        ? state.leases.map((lease) => (isSameOwner(lease.owner, ask.owner) ? merge(lease, ask) : lease))
        : [...state.leases, leaseOf(ask, nowMs)];
      const limit = state.source === 'contract' ? ask.limit : state.limit;
      return { ...state, limit, leases };
    }
    case 'closed':
      return { ...state, leases: state.leases.filter(({ owner }) => !isSameOwner(owner, event.owner)) };
    case 'configured':
      return { ...state, limit: event.limit ?? state.limit, source: event.source, isPaused: event.isPaused };
    case 'held':
      return { ...state, holdUntilMs: Math.max(state.holdUntilMs ?? 0, Math.min(event.untilMs, nowMs + MAX_HOLD_MS)) };
    case 'tick':
      return state;
    default:
      return event satisfies never;
  }
};

/** True until a hold and the trial after it are over. */
const isHeld = ({ holdUntilMs }: LimiterState, nowMs: number): boolean => holdUntilMs !== null && nowMs < holdUntilMs + PROBE_MS;

const isIdle = (lease: Lease): boolean => lease.want === 0 && heldBy(lease) <= 0 && lease.startsGranted >= lease.startsAsked;

const sameTerms = (one: LimiterState, other: LimiterState): boolean =>
  one.isPaused === other.isPaused &&
  one.holdUntilMs === other.holdUntilMs &&
  one.limit.parallelism === other.limit.parallelism &&
  one.limit.ratePerSecond === other.limit.ratePerSecond;

/** The run that tries alone after a hold: the first that has a permit to try with. */
const probeOf = ({ holdUntilMs, leases }: LimiterState): FlowOwner | null =>
  holdUntilMs === null ? null : ((leases.find((lease) => lease.want > 0 && heldBy(lease) > 0) ?? leases[0])?.owner ?? null);

const grantFor = (state: LimiterState, lease: Lease, starts: readonly number[]): FlowGrant => {
  const probe = probeOf(state);
  return {
    v: 1,
    key: state.key,
    firstRunId: lease.owner.firstRunId,
    limit: state.limit,
    granted: lease.granted,
    target: lease.target,
    starts,
    isPaused: state.isPaused,
    holdUntilMs: state.holdUntilMs,
    isProbe: probe !== null && isSameOwner(probe, lease.owner),
  };
};

const earliest = (...times: readonly (number | null)[]): number | null => {
  const given = times.filter((time) => time !== null);
  return given.length === 0 ? null : Math.min(...given);
};

/** Grants what may be granted now. A paused or held key grants nothing, and its runs are told. */
const settle = (before: LimiterState, taken: LimiterState, nowMs: number): LimiterStep => {
  const held = isHeld(taken, nowMs);
  const state = { ...taken, holdUntilMs: held ? taken.holdUntilMs : null };
  const isOpen = !state.isPaused && !held;
  const divided = isOpen ? dividePermits(state, nowMs) : { leases: state.leases, wakeMs: null };
  const settled = { ...state, leases: divided.leases };
  const planned = isOpen ? planStarts(settled, nowMs) : { state: settled, starts: settled.leases.map(() => []), wakeMs: null };
  const isChanged = !sameTerms(before, planned.state);
  const sent = planned.state.leases.flatMap((lease, index) => {
    const starts = planned.starts[index] ?? [];
    const old = before.leases.find(({ owner }) => isSameOwner(owner, lease.owner));
    const isNews = isChanged || starts.length > 0 || lease.granted !== (old?.granted ?? lease.returned) || lease.target !== (old?.target ?? null);
    return isNews ? [{ owner: lease.owner, grant: grantFor(planned.state, lease, starts) }] : [];
  });
  const leases = planned.state.leases.filter((lease) => !isIdle(lease));
  const wakeMs = earliest(divided.wakeMs, planned.wakeMs, held && state.holdUntilMs !== null ? state.holdUntilMs + PROBE_MS : null);
  return { state: { ...planned.state, leases }, sent, wakeMs };
};

/**
 * One step of the limiter of a key: applies the events in their order, then divides permits and start times among the runs. Pure: `nowMs` is
 * server time. Permits in use never exceed the limit unless it was lowered below what is in use; then nothing is granted until enough came back.
 */
export const reduceLimiter = (state: LimiterState, events: readonly LimiterEvent[], nowMs: number): LimiterStep =>
  settle(
    state,
    events.reduce((known, event) => take(known, event, nowMs), state),
    nowMs,
  );
