import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRows } from './database.ts';
import { LEASE } from './worker-lease.ts';

const REAPING_SECONDS = 15;

/** A worker process whose lease has lapsed, and the queues that it served. */
export interface LapsedWorker {
  readonly identity: string;
  readonly taskQueues: readonly string[];
}

/** Lapsed workers in the hands of the survivor that reaps them. */
export interface Reaping {
  readonly reaper: string;
  readonly identities: readonly string[];
}

const reapingEnd = sql`now() + make_interval(secs => ${REAPING_SECONDS})`;
const identitiesOf = ({ identities }: Reaping) => sql`${sql.param([...identities])}::text[]`;

/**
 * Takes over every lapsed lease for 15 s, in one conditional statement, so that of several survivors exactly one gets it. Answers none while the survivor's
 * own lease is not freshly renewed or it may not judge yet. What a reaper leaves or dies with is there to be taken again.
 */
export const takeLapsedLeases = (executor: Executor, reaper: string): Promise<LapsedWorker[]> =>
  readRows<LapsedWorker>(
    executor,
    sql`
    update worker_leases as dead set reaped_by = ${reaper}, reaped_until = ${reapingEnd}
    where dead.lease_until < now() and dead.identity <> ${reaper}
      and (dead.reaped_by is null or dead.reaped_until < now()
        or not exists (select 1 from worker_leases other where other.identity = dead.reaped_by and other.lease_until > now()))
      and exists (select 1 from worker_leases me where me.identity = ${reaper} and me.judges_at <= now() and me.lease_until > now()
        and me.renewed_at > now() - make_interval(secs => ${LEASE.lateMs / 1_000}::double precision))
    returning dead.identity, dead.task_queues as "taskQueues"`,
  );

/** Keeps the reaping for another 15 s; answers those that are still the reaper's: not those that have come back to life or that another took. */
export const keepReaping = async (executor: Executor, reaping: Reaping): Promise<string[]> => {
  const rows = await readRows<{ identity: string }>(
    executor,
    sql`update worker_leases set reaped_until = ${reapingEnd}
        where identity = any(${identitiesOf(reaping)}) and reaped_by = ${reaping.reaper} returning identity`,
  );
  return rows.map(({ identity }) => identity);
};

/** Removes the leases of workers whose activities are all failed. */
export const endReaping = async (executor: Executor, reaping: Reaping): Promise<void> => {
  await executor.execute(sql`delete from worker_leases where identity = any(${identitiesOf(reaping)}) and reaped_by = ${reaping.reaper}`);
};

/** Leaves workers that could not be reaped to whoever takes them next. */
export const leaveReaping = async (executor: Executor, reaping: Reaping): Promise<void> => {
  await executor.execute(
    sql`update worker_leases set reaped_by = null, reaped_until = null where identity = any(${identitiesOf(reaping)}) and reaped_by = ${reaping.reaper}`,
  );
};

/** Workflows in whose name one of the workers holds a claim of a run that is open. */
export const findClaimingWorkflows = async (executor: Executor, workers: readonly string[]): Promise<string[]> => {
  const rows = await readRows<{ workflowId: string }>(
    executor,
    // By run and state, as they are indexed; claims at a time are few, and another index would burden each of them.
    sql`select distinct i.workflow_id as "workflowId" from pipeline_runs r join pipeline_items i on i.run_id = r.id and i.state = 'claimed'
        where r.finished_at is null and i.worker = any(${sql.param([...workers])}::text[])`,
  );
  return rows.map(({ workflowId }) => workflowId);
};

/** Workflow ids of all runs that are open, newest first. */
export const findOpenRuns = async (executor: Executor): Promise<string[]> => {
  const rows = await readRows<{ workflowId: string }>(
    executor,
    sql`select workflow_id as "workflowId" from pipeline_runs where finished_at is null order by id desc`,
  );
  return rows.map(({ workflowId }) => workflowId);
};
