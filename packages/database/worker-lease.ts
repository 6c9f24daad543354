import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRows } from './database.ts';

const LEASE_SECONDS = 5;
const RENEW_MS = 1_000;

export interface WorkerLease {
  /** Stops renewing and gives the lease up. */
  stop(): Promise<void>;
}

/** Keeps a lease for a worker process; while it holds (5 s, renewed every second) its claims are not taken over by others. Removes the leases of processes that are gone since a day. */
export const startWorkerLease = async (executor: Executor, identity: string): Promise<WorkerLease> => {
  const renew = (seconds: number): Promise<unknown> =>
    executor.execute(sql`
      insert into worker_leases (identity, lease_until) values (${identity}, now() + make_interval(secs => ${seconds}))
      on conflict (identity) do update set lease_until = excluded.lease_until`);
  await renew(LEASE_SECONDS);
  await executor.execute(sql`delete from worker_leases where lease_until < now() - interval '1 day'`);
  const timer = setInterval(() => {
    renew(LEASE_SECONDS).catch(() => undefined);
  }, RENEW_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await executor.execute(sql`delete from worker_leases where identity = ${identity}`).catch(() => undefined);
    },
  };
};

/** Those of the given workers whose lease holds now. */
export const readLiveWorkers = async (executor: Executor, identities: readonly string[]): Promise<ReadonlySet<string>> => {
  if (identities.length === 0) return new Set();
  const rows = await readRows<{ identity: string }>(
    executor,
    sql`select identity from worker_leases where identity = any(${sql.param([...identities])}::text[]) and lease_until > now()`,
  );
  return new Set(rows.map(({ identity }) => identity));
};
