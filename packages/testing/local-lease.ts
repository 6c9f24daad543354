import { giveUpLease, renewLease } from '../database/worker-lease.ts';
import type { LeaseSession } from '../database/worker-lease.ts';

// Renewed by the test's own event loop, which may stand still for a while.
const HOLDS_MS = 10_000;
const RENEW_MS = 1_000;

/** A lease that the process of a test holds. */
export interface LocalLease {
  stop(): Promise<void>;
}

/** Holds a lease without a thread, for workers in the process of a test: cheap, and lost when the test blocks its event loop for 9 s. */
export const holdLocalLease = async (session: LeaseSession, identity: string): Promise<LocalLease> => {
  const renew = (isFirst: boolean): Promise<unknown> => renewLease(session, { identity, taskQueues: [identity], holdsMs: HOLDS_MS, isFirst });
  await renew(true);
  const timer = setInterval(() => void renew(false).catch(() => undefined), RENEW_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await giveUpLease(session, identity).catch(() => undefined);
    },
  };
};
