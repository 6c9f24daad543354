import { sql } from 'drizzle-orm';
import type { EntryCounts } from '../contracts/run.ts';
import type { RunOwner } from '../contracts/pipeline-activities.ts';
import type { Database, Executor, Transaction } from './database.ts';
import { readRow, readRows } from './database.ts';

/** Where a scope stands: its current epoch, the number of its last run, and its active run if it has one. */
export interface ScopeState {
  readonly epoch: number;
  readonly epochId: string | null;
  readonly lastRunNo: number;
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
  const found = await readRow<{ epoch: number | null; epoch_id: string | null; last_run_no: number; active: ActiveRun | null }>(
    executor,
    sql`
    select e.epoch, e.id::text as epoch_id,
      (select coalesce(max(run_no), 0) from pipeline_runs where pipeline = ${pipeline} and scope = ${scope}) as last_run_no,
      (select jsonb_build_object('id', id::text, 'workflowId', workflow_id, 'firstRunId', first_run_id, 'requestId', request_id)
       from pipeline_runs where pipeline = ${pipeline} and scope = ${scope} and finished_at is null) as active
    from (select 1) one left join lateral (
      select id, epoch from pipeline_epochs where pipeline = ${pipeline} and scope = ${scope} order by epoch desc limit 1) e on true`,
  );
  return { epoch: found.epoch ?? 1, epochId: found.epoch_id, lastRunNo: found.last_run_no, active: found.active };
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
    returning id::text, epoch_id::text as "epochId", ${isoOf(sql`started_at`)} as "startedAt"`,
  );
};

const isoOf = (instant: ReturnType<typeof sql>) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A run as stored; instants are ISO text of the database clock. */
export interface StoredRun extends EntryCounts {
  readonly id: string;
  readonly epochId: string;
  readonly epoch: number;
  readonly pipeline: string;
  readonly scope: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly requestId: string;
  readonly input: unknown;
  readonly upperBound: string | null;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly interrupted: number;
  readonly pages: number;
  readonly chunks: number;
  readonly direct: number;
  readonly abortRequestedAt: string | null;
  readonly outcome: string | null;
  readonly message: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

const runColumns = sql`r.id::text, r.epoch_id::text as "epochId", e.epoch, r.pipeline, r.scope, r.workflow_id as "workflowId",
  r.first_run_id as "firstRunId", r.request_id as "requestId", r.input, r.upper_bound as "upperBound",
  r.total_eligible as "totalEligible", r.to_process as "toProcess", r.already_processed as "alreadyProcessed", r.deferred,
  r.not_eligible as "notEligible", r.succeeded, r.failed, r.skipped, r.interrupted, r.pages, r.chunks, r.direct,
  ${isoOf(sql`r.abort_requested_at`)} as "abortRequestedAt", r.outcome, r.message,
  ${isoOf(sql`r.started_at`)} as "startedAt", ${isoOf(sql`r.finished_at`)} as "finishedAt"`;

const selectRuns = (where: ReturnType<typeof sql>) =>
  sql`select ${runColumns} from pipeline_runs r join pipeline_epochs e on e.id = r.epoch_id where ${where}`;

/** The run with this row id, or undefined. */
export const findRun = async (executor: Executor, id: string): Promise<StoredRun | undefined> =>
  (await readRows<StoredRun>(executor, selectRuns(sql`r.id = ${id}`)))[0];

/** The newest run that a workflow id owned, or undefined; ids are reused, so `firstRunId` narrows it to one chain. */
export const findRunOfWorkflow = async (
  executor: Executor,
  { workflowId, firstRunId }: { readonly workflowId: string; readonly firstRunId?: string },
): Promise<StoredRun | undefined> => {
  const chain = firstRunId === undefined ? sql`true` : sql`r.first_run_id = ${firstRunId}`;
  return (await readRows<StoredRun>(executor, selectRuns(sql`r.workflow_id = ${workflowId} and ${chain} order by r.id desc limit 1`)))[0];
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

/** Latches an abort in the run row, where every claim sees it; answers the run's row id, or null when the workflow owns no active run. */
export const latchAbort = async (executor: Executor, workflowId: string, reason: string | null): Promise<string | null> => {
  const [latched] = await readRows<{ id: string }>(
    executor,
    sql`update pipeline_runs set abort_requested_at = coalesce(abort_requested_at, now()), abort_reason = coalesce(abort_reason, ${reason})
        where workflow_id = ${workflowId} and finished_at is null returning id::text`,
  );
  return latched?.id ?? null;
};

/** Items of a run by state, and the clock they were counted at. */
export interface CountedItems {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly inFlight: number;
  readonly asOf: string;
}

/** Counts a run's items in the ledger. */
export const countItems = async (executor: Executor, run: string): Promise<CountedItems> =>
  readRow(
    executor,
    sql`select count(*) filter (where state = 'done')::int as succeeded, count(*) filter (where state = 'failed')::int as failed,
          count(*) filter (where state = 'skipped')::int as skipped, count(*) filter (where state = 'claimed')::int as "inFlight",
          ${isoOf(sql`now()`)} as "asOf"
        from pipeline_items where run_id = ${run}`,
  );

export interface RunEnding {
  readonly run: string;
  readonly outcome: string;
  readonly message: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly interrupted: number;
  readonly pages: number;
  readonly chunks: number;
  readonly direct: number;
}

/** Ends a run and frees the claims it still holds (their late writes are refused by the raised token); answers the instant, also on a repeat. */
export const finishRun = async (tx: Transaction, ending: RunEnding): Promise<{ finishedAt: string }> => {
  await tx.execute(
    sql`update pipeline_items set state = 'open', token = token + 1 where run_id = ${ending.run} and state = 'claimed'`,
  );
  return readRow(
    tx,
    sql`update pipeline_runs set outcome = ${ending.outcome}, message = ${ending.message}, succeeded = ${ending.succeeded},
          failed = ${ending.failed}, skipped = ${ending.skipped}, interrupted = ${ending.interrupted}, pages = ${ending.pages},
          chunks = ${ending.chunks}, direct = ${ending.direct}, finished_at = coalesce(finished_at, now())
        where id = ${ending.run} returning ${isoOf(sql`finished_at`)} as "finishedAt"`,
  );
};

/** The database's clock, ISO text. */
export const readNow = async (executor: Executor): Promise<string> =>
  (await readRow<{ now: string }>(executor, sql`select ${isoOf(sql`now()`)} as now`)).now;

/** Runs `work` in one transaction on its own handle. */
export const inTransaction = <T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> => db.transaction(work);
