import type { Lease, LimiterState } from './limiter-state.ts';
import { waterFill } from './water-fill.ts';

/** One batch covers the time until the next tick of a timer that resolves to a second. */
export const BATCH_MS = 1_300;

/** Ticks are so far apart: at most one batch per second and run. */
const TICK_MS = 1_000;

export interface PlannedStarts {
  readonly state: LimiterState;
  /** New start times of each lease, ascending. */
  readonly starts: readonly (readonly number[])[];
  /** When the next batch is due; null: nobody waits for one. */
  readonly wakeMs: number | null;
}

const openStarts = ({ startsAsked, startsGranted }: Lease): number => Math.max(0, startsAsked - startsGranted);

/** Deals times to leases in rounds, so that each run's are spread over the batch. */
const dealRounds = (times: readonly number[], shares: readonly number[], turn: number): readonly (readonly number[])[] => {
  const dealt: number[][] = shares.map(() => []);
  let next = turn;
  for (const time of times) {
    for (let step = 0; step < shares.length; step++, next++) {
      const index = next % shares.length;
      if ((dealt[index]?.length ?? 0) >= (shares[index] ?? 0)) continue;
      dealt[index]?.push(time);
      next++;
      break;
    }
  }
  return dealt;
};

/**
 * Plans start times by the generic cell rate algorithm without burst: each is 1/rate after the one before, never before now, and no capacity is
 * saved up while idle. They are shared fairly among the runs that asked.
 */
export const planStarts = (state: LimiterState, nowMs: number): PlannedStarts => {
  const none = { state, starts: state.leases.map(() => []), wakeMs: null };
  const { ratePerSecond } = state.limit;
  const claims = state.leases.map(openStarts);
  const wanted = claims.reduce((sum, claim) => sum + claim, 0);
  // Without a rate nothing is paced: what was asked for is settled at once.
  if (ratePerSecond === null)
    return {
      ...none,
      state: { ...state, leases: state.leases.map((lease) => ({ ...lease, startsGranted: Math.max(lease.startsGranted, lease.startsAsked) })) },
    };
  if (wanted === 0) return none;
  const stepMs = 1_000 / ratePerSecond;
  // Those that want starts are served alike: as far ahead as the slowest of them needs.
  const leadMs = Math.max(...state.leases.map((lease, index) => ((claims[index] ?? 0) > 0 ? lease.leadMs : 0)));
  const firstMs = Math.max(state.nextStartMs, nowMs + leadMs);
  const endMs = nowMs + leadMs + BATCH_MS;
  const count = Math.max(0, Math.min(wanted, Math.ceil((endMs - firstMs) / stepMs)));
  const order = claims.map((_, index) => (index + state.turn) % claims.length);
  const shares = waterFill(count, claims, order);
  const times = Array.from({ length: count }, (_, index) => firstMs + index * stepMs);
  const starts = dealRounds(times, shares, state.turn);
  const leases = state.leases.map((lease, index) => ({ ...lease, startsGranted: lease.startsGranted + (shares[index] ?? 0) }));
  const nextStartMs = count === 0 ? state.nextStartMs : firstMs + count * stepMs;
  return {
    state: { ...state, leases, nextStartMs, turn: count === 0 ? state.turn : (state.turn + count) % Math.max(1, leases.length) },
    starts: starts.map((list) => list.map((time) => Math.ceil(time))),
    wakeMs: wanted > count ? Math.max(nowMs + TICK_MS, nextStartMs - leadMs - BATCH_MS + TICK_MS) : null,
  };
};
