import { LEASE } from '../database/worker-lease.ts';

const NEXT_MOMENT_MS = 5;

/** Wait in ms before the next renewal: half a second, or less where another's lease lapses before, so that its death is noticed as it falls due. */
export const computeRenewalWait = (nextLapseMs: number | null): number =>
  nextLapseMs === null ? LEASE.renewMs : Math.min(LEASE.renewMs, Math.max(0, nextLapseMs) + NEXT_MOMENT_MS);
