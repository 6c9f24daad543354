import { sql } from './drizzle.ts';
import type { EntryCounts, ItemCounts, WorkCounts } from '../contracts/counts.ts';
import type { LedgerCounts } from '../contracts/finish-activities.ts';
import type { Executor, Transaction } from './database.ts';
import { readRow, readRows, isoText } from './database.ts';

/** A run as stored; instants are ISO text of the database clock. */
export interface StoredRun extends EntryCounts, ItemCounts, WorkCounts {
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
  ${isoText(sql`r.abort_requested_at`)} as "abortRequestedAt", r.outcome, r.message,
  ${isoText(sql`r.started_at`)} as "startedAt", ${isoText(sql`r.finished_at`)} as "finishedAt"`;

const selectRuns = (where: ReturnType<typeof sql>) =>
  sql`select ${runColumns} from pipeline_runs r join pipeline_epochs e on e.id = r.epoch_id where ${where}`;

/** The run with this row id, or undefined. */
export const findRun = async (executor: Executor, id: string): Promise<StoredRun | undefined> =>
  (await readRows<StoredRun>(executor, selectRuns(sql`r.id = ${id}`)))[0];

/** The same, locked until the transaction ends. */
export const lockRun = async (tx: Transaction, id: string): Promise<StoredRun | undefined> => {
  await tx.execute(sql`select from pipeline_runs where id = ${id} for update`);
  return findRun(tx, id);
};

/** The newest run that a workflow id owned, or undefined; ids are reused, so `firstRunId` narrows it to one chain. */
export const findRunOfWorkflow = async (
  executor: Executor,
  { workflowId, firstRunId }: { readonly workflowId: string; readonly firstRunId?: string },
): Promise<StoredRun | undefined> => {
  const chain = firstRunId === undefined ? sql`true` : sql`r.first_run_id = ${firstRunId}`;
  return (await readRows<StoredRun>(executor, selectRuns(sql`r.workflow_id = ${workflowId} and ${chain} order by r.id desc limit 1`)))[0];
};

/** Counts a run's items in the ledger. */
export const countItems = async (executor: Executor, run: string): Promise<LedgerCounts> =>
  readRow(
    executor,
    sql`select count(*) filter (where state = 'done')::int as succeeded, count(*) filter (where state = 'failed')::int as failed,
          count(*) filter (where state = 'skipped')::int as skipped, count(*) filter (where state = 'claimed')::int as "inFlight",
          ${isoText(sql`now()`)} as "asOf"
        from pipeline_items where run_id = ${run}`,
  );

export interface RunEnding extends ItemCounts, WorkCounts {
  readonly run: string;
  readonly outcome: string;
  readonly message: string;
}

/** Ends a run and frees the claims it still holds (their late writes are refused by the raised token); answers the instant, also on a repeat. */
export const finishRun = async (tx: Transaction, ending: RunEnding): Promise<{ finishedAt: string }> => {
  await tx.execute(sql`update pipeline_items set state = 'open', token = token + 1 where run_id = ${ending.run} and state = 'claimed'`);
  return readRow(
    tx,
    sql`update pipeline_runs set outcome = ${ending.outcome}, message = ${ending.message}, succeeded = ${ending.succeeded},
          failed = ${ending.failed}, skipped = ${ending.skipped}, interrupted = ${ending.interrupted}, pages = ${ending.pages},
          chunks = ${ending.chunks}, direct = ${ending.direct}, finished_at = coalesce(finished_at, now())
        where id = ${ending.run} returning ${isoText(sql`finished_at`)} as "finishedAt"`,
  );
};
