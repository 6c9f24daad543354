import { sql } from './drizzle.ts';
import { isoText, readRow, readRows } from './database.ts';
import type { RunOwner } from '../contracts/entry-activities.ts';
import type { Executor, Transaction } from './database.ts';
import type { EntryCounts } from '../contracts/counts.ts';
/** Where a scope stands: its current epoch, the number of its last run, and its active run if it has one. */
export interface ScopeState {
  readonly epoch: number;
  readonly epochId: string | null;
  readonly lastRunNo: number;
  /** The last run is active, or was closed from outside before its own end could be written. */
  readonly isUnfinished: boolean;
  readonly active: ActiveRun | null;
}

export interface ActiveRun {
  readonly id: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly requestId: string;
}

/** Reads a scope's state in one statement; a scope never run is in epoch 1 without a row. */
export const readScopeState = async (executor: Executor, pipeline: string, scope: string): Promise<ScopeState> => {
  const found = await readRow<{
    epoch: number | null;
    epoch_id: string | null;
    last_run_no: number;
    is_terminated: boolean;
    active: ActiveRun | null;
  }>(
    executor,
    sql`
    select e.epoch, e.id::text as epoch_id,
      (select coalesce(max(run_no), 0) from pipeline_runs where pipeline = ${pipeline} and scope = ${scope}) as last_run_no,
      coalesce((select outcome = 'terminated' from pipeline_runs where pipeline = ${pipeline} and scope = ${scope} order by run_no desc limit 1), false) as is_terminated,
      (select jsonb_build_object('id', id::text, 'workflowId', workflow_id, 'firstRunId', first_run_id, 'requestId', request_id)
       from pipeline_runs where pipeline = ${pipeline} and scope = ${scope} and finished_at is null) as active
    from (select 1) one left join lateral (
      select id, epoch from pipeline_epochs where pipeline = ${pipeline} and scope = ${scope} order by epoch desc limit 1) e on true`,
  );
  return {
    epoch: found.epoch ?? 1,
    epochId: found.epoch_id,
    lastRunNo: found.last_run_no,
    isUnfinished: found.active !== null || found.is_terminated,
    active: found.active,
  };
};

export interface NewRun {
  readonly pipeline: string;
  readonly scope: string;
  readonly epoch: number;
  readonly runNo: number;
  readonly owner: RunOwner;
  readonly requestId: string;
  readonly input: unknown;
  readonly upperBound: string | null;
  readonly counts: EntryCounts;
  /** Most failed items that the threshold allows, or null without one. */
  readonly maxFailures: number | null;
}
/** Writes the epoch's row if it is new and the run's row; a unique violation means that another run came first. */
export const insertRun = async (tx: Transaction, run: NewRun): Promise<{ id: string; epochId: string; startedAt: string }> => {
  const { counts } = run;
  return readRow(
    tx,
    sql`
    with epoch as (
      insert into pipeline_epochs (pipeline, scope, epoch) values (${run.pipeline}, ${run.scope}, ${run.epoch})
      on conflict (pipeline, scope, epoch) do update set epoch = excluded.epoch returning id
    )
    insert into pipeline_runs (epoch_id, pipeline, scope, run_no, workflow_id, first_run_id, request_id, input, upper_bound,
      total_eligible, to_process, already_processed, deferred, not_eligible, max_failures)
    select epoch.id, ${run.pipeline}, ${run.scope}, ${run.runNo}, ${run.owner.workflowId}, ${run.owner.firstRunId}, ${run.requestId},
      ${JSON.stringify(run.input)}::jsonb, ${run.upperBound},
      ${counts.totalEligible}, ${counts.toProcess}, ${counts.alreadyProcessed}, ${counts.deferred}, ${counts.notEligible}, ${run.maxFailures}::int
    from epoch
    returning id::text, epoch_id::text as "epochId", ${isoText(sql`started_at`)} as "startedAt"`,
  );
};

/** Closes an active run whose owner is gone; its claims can be taken from then on. False when it had ended meanwhile. */
export const closeOrphanRun = async (executor: Executor, id: string): Promise<boolean> => {
  const rows = await readRows<{ id: string }>(
    executor,
    sql`update pipeline_runs set outcome = 'terminated', message = 'its workflow ended without closing the run', finished_at = now()
        where id = ${id} and finished_at is null returning id`,
  );
  return rows.length > 0;
};
