import type { Database } from '../../packages/database/database.ts';
import { renewLease } from '../../packages/database/signal-lease.ts';
import { ClaimLost } from './step-errors.ts';

/** A lease in the hands of its caller. */
export interface HeldLease {
  /** Aborted with ClaimLost when the lease is another's, or could not be renewed before its end. */
  readonly signal: AbortSignal;
  /** Renews it no longer. */
  stop(): void;
}

/** Renews a lease for as long as it is held. */
export const holdLease = (
  db: Database,
  { eventId, leaseToken, leaseMs }: { readonly eventId: string; readonly leaseToken: string; readonly leaseMs: number },
): HeldLease => {
  const lost = new AbortController();
  const lose = (): void => lost.abort(new ClaimLost(eventId));
  let heldUntilMs = performance.now() + leaseMs;
  const renew = async (): Promise<void> => {
    const askedAtMs = performance.now();
    if (askedAtMs >= heldUntilMs) return lose();
    if (!(await renewLease(db, { leaseToken, leaseMs }))) return lose();
    heldUntilMs = askedAtMs + leaseMs;
  };
  // A renewal that fails may succeed the next time, while the lease stands.
  const timer = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  return { signal: lost.signal, stop: () => clearInterval(timer) };
};
