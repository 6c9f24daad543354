import { heldBy } from './limiter-state.ts';
import type { Lease, LimiterState } from './limiter-state.ts';
import { waterFill } from './water-fill.ts';

/** A permit that others wait for stays at least so long, or messages would outnumber items. */
const TENURE_MS = 1_000;

export interface DividedPermits {
  readonly leases: readonly Lease[];
  /** When somebody's turn is over; null: all have what they may have. */
  readonly wakeMs: number | null;
}

/** Who comes first where there are fewer permits than runs: those within their tenure, then whoever has waited longest, then those whose turn is over. */
const inTurn = (leases: readonly Lease[], nowMs: number): readonly number[] => {
  const rank = (lease: Lease): number => {
    if (heldBy(lease) === 0) return 1;
    return nowMs - lease.grantedAtMs < TENURE_MS ? 0 : 2;
  };
  const ranked = leases.map((lease, index) => ({ index, rank: rank(lease), sinceMs: lease.grantedAtMs }));
  return ranked.sort((one, other) => one.rank - other.rank || one.sinceMs - other.sinceMs || one.index - other.index).map(({ index }) => index);
};

/**
 * Divides the permits of a key fairly among its runs: who may have more gets it from what is free, and who has more than a fair share while others
 * wait is told what to come down to. Where there are fewer permits than runs, they go round.
 */
export const dividePermits = ({ limit: { parallelism }, leases }: LimiterState, nowMs: number): DividedPermits => {
  if (parallelism === null) return { leases: leases.map((lease) => ({ ...lease, target: null })), wakeMs: null };
  const wants = leases.map(({ want }) => want);
  const isScarce = wants.filter((want) => want > 0).length > parallelism;
  const shares = waterFill(parallelism, wants, isScarce ? inTurn(leases, nowMs) : undefined);
  let free = parallelism - leases.reduce((sum, lease) => sum + heldBy(lease), 0);
  const granted = leases.map((lease, index) => {
    const more = Math.max(0, Math.min((shares[index] ?? 0) - heldBy(lease), free));
    free -= more;
    return more === 0 ? lease : { ...lease, granted: lease.granted + more, grantedAtMs: nowMs };
  });
  const isShort = free < 0 || granted.some((lease, index) => heldBy(lease) < (shares[index] ?? 0));
  const told = granted.map((lease, index) => {
    const share = shares[index] ?? 0;
    return { ...lease, target: isShort && heldBy(lease) > share ? share : null };
  });
  return { leases: told, wakeMs: isScarce ? nowMs + TENURE_MS : null };
};
