import type pg from 'pg';

/** Times of a worker's lease in ms; one whose last renewal is older than `lateMs` may have been cut off, and judges nobody. */
export const LEASE = { holdsMs: 2_000, renewMs: 500, lateMs: 1_000 } as const;

// A process that has just started cannot know of an outage before it: it waits until those that were cut off have renewed, which they try ten times a second.
const NEWCOMER_MS = 500;
const RETURNED_MS = 2 * LEASE.holdsMs;

/** Where lease statements run. They are plain text, so that the thread that renews loads no query builder: 22 in place of 53 MB. */
export type LeaseSession = Pick<pg.Pool, 'query'>;

/** One renewal of one process. */
export interface LeaseRenewal {
  readonly identity: string;
  readonly taskQueues: readonly string[];
  readonly holdsMs: number;
  /** Whether the process has held no lease before: only then is a missing row no sign that others took it for dead. */
  readonly isFirst: boolean;
}

/** What a process sees of the others at a renewal. */
export interface LeaseNeighbours {
  /** The lease of at least one has lapsed. */
  readonly hasLapsed: boolean;
  /** When the next of those that hold would lapse, in ms from now; null when there is none. */
  readonly nextLapseMs: number | null;
}

const RENEW = `
with renewed as (
  insert into worker_leases as mine (identity, task_queues, renewed_at, lease_until, judges_at)
  values ($1, $2::text[], now(), now() + $3 * interval '1 ms', now() + $4 * interval '1 ms')
  on conflict (identity) do update set
    task_queues = excluded.task_queues, renewed_at = now(), lease_until = excluded.lease_until,
    judges_at = case when mine.renewed_at < now() - interval '${LEASE.lateMs} ms' or mine.reaped_by is not null
      then now() + interval '${RETURNED_MS} ms' else mine.judges_at end,
    reaped_by = null, reaped_until = null
)
select coalesce(bool_or(lease_until < now()), false) as "hasLapsed",
  (extract(epoch from min(lease_until) filter (where lease_until >= now()) - now()) * 1000)::float8 as "nextLapseMs"
from worker_leases where identity <> $1`;

/**
 * Takes or renews a process's lease, and tells of the others'. A process judges others 0.5 s after its first renewal; one whose renewal comes late, or
 * finds its row gone, was cut off, and judges nobody for two lease periods: those that were cut off with it have then renewed too.
 */
export const renewLease = async (session: LeaseSession, renewal: LeaseRenewal): Promise<LeaseNeighbours> => {
  const { identity, taskQueues, holdsMs, isFirst } = renewal;
  const { rows } = await session.query<LeaseNeighbours>({
    name: 'strata_renew_lease',
    text: RENEW,
    values: [identity, [...taskQueues], holdsMs, isFirst ? NEWCOMER_MS : RETURNED_MS],
  });
  return rows[0] as LeaseNeighbours;
};

/** Gives up the lease of a process that has nothing in flight. */
export const giveUpLease = async (session: LeaseSession, identity: string): Promise<void> => {
  await session.query('delete from worker_leases where identity = $1', [identity]);
};

/** Lets the lease of a process that ends with work in flight lapse at once, so that a survivor takes that work over. */
export const abandonLease = async (session: LeaseSession, identity: string): Promise<void> => {
  await session.query(`update worker_leases set lease_until = now() - interval '1 ms' where identity = $1`, [identity]);
};
