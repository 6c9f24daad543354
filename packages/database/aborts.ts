import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRows } from './database.ts';

/** Latches an abort in the run row, where every claim sees it; answers the run's row id, or null when the workflow owns no active run. */
export const latchAbort = async (executor: Executor, workflowId: string, reason: string | null): Promise<string | null> => {
  const [latched] = await readRows<{ id: string }>(
    executor,
    sql`update pipeline_runs set abort_requested_at = coalesce(abort_requested_at, now()), abort_reason = coalesce(abort_reason, ${reason})
        where workflow_id = ${workflowId} and finished_at is null returning id::text`,
  );
  return latched?.id ?? null;
};

/** An active run whose abort was latched long ago. */
export interface StaleAbort {
  readonly id: string;
  readonly workflowId: string;
  readonly firstRunId: string;
}

/** Active runs whose abort was latched at least so many ms ago on the database's clock, oldest first. */
export const findStaleAborts = (
  executor: Executor,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<StaleAbort[]> =>
  readRows<StaleAbort>(
    executor,
    sql`select id::text, workflow_id as "workflowId", first_run_id as "firstRunId" from pipeline_runs
        where finished_at is null and abort_requested_at <= now() - make_interval(secs => ${olderThanMs / 1_000}::double precision)
        order by abort_requested_at limit ${limit}`,
  );

/**
 * Ends a run whose workflow was terminated, in one conditional statement: counts the ledger, closes the row and frees the claims (late writes are
 * refused by the raised token). False when the run had ended meanwhile.
 */
export const closeTerminatedRun = async (executor: Executor, id: string, message: string): Promise<boolean> => {
  const rows = await readRows<{ id: string }>(
    executor,
    sql`
    with counted as (
      select count(*) filter (where state = 'done')::int as succeeded, count(*) filter (where state = 'failed')::int as failed,
        count(*) filter (where state = 'skipped')::int as skipped, count(*) filter (where state = 'claimed')::int as interrupted
      from pipeline_items where run_id = ${id}
    ), closed as (
      update pipeline_runs r set outcome = 'terminated', message = ${message}, succeeded = counted.succeeded, failed = counted.failed,
        skipped = counted.skipped, interrupted = counted.interrupted, finished_at = now()
      from counted where r.id = ${id} and r.finished_at is null returning r.id
    ), freed as (
      update pipeline_items i set state = 'open', token = token + 1 from closed where i.run_id = closed.id and i.state = 'claimed'
    )
    select id::text from closed`,
  );
  return rows.length > 0;
};
