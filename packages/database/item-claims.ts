import { sql } from 'drizzle-orm';
import type { Executor } from './database.ts';
import { readRows } from './database.ts';

/** Who claims, on whose behalf, and the rules that decide what may be taken. */
export interface ClaimRequest {
  readonly run: string;
  readonly itemIds: readonly string[];
  readonly workflowId: string;
  readonly activityId: string;
  readonly worker: string;
  readonly maxAttempts: number;
  readonly retakesFailed: 'always' | 'nextRun' | 'never';
}

/** A claim that was won: only its token may write the item. */
export interface Claim {
  readonly rowId: string;
  readonly itemId: string;
  readonly token: number;
  readonly attempt: number;
  /** Rate-limit answers in a row so far; each gave its attempt back. */
  readonly freeWaits: number;
}

export type ClaimAnswer =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'exhausted'; readonly itemId: string; readonly errorType: string; readonly error: string; readonly attempts: number }
  | {
      readonly kind: 'ended';
      readonly itemId: string;
      readonly state: 'done' | 'failed' | 'skipped';
      readonly byThisRun: boolean;
      readonly attempts: number;
      readonly errorType: string | null;
      readonly error: string | null;
      readonly resultHash: string | null;
    }
  | { readonly kind: 'held'; readonly itemId: string };

export interface Claims {
  readonly answers: readonly ClaimAnswer[];
  /** Set when the run takes no items any more; then `answers` is empty. */
  readonly refused: 'aborted' | 'threshold' | 'finished' | null;
  /** The claim that wrote the last `failed` row exceeded the run's failure threshold. */
  readonly exceeded: boolean;
}

/** Failed runs per epoch after which a plain run leaves an item to a redrive. */
export const MAX_FAILED_RUNS = 3;

interface ClaimRow {
  readonly open: boolean;
  readonly aborted: boolean;
  readonly exceeded: boolean;
  readonly now_exceeded: boolean | null;
  readonly item_id: string | null;
  readonly row_id: string | null;
  readonly token: number | null;
  readonly attempts: number | null;
  readonly free_waits: number | null;
  readonly state: string | null;
  readonly error_type: string | null;
  readonly error: string | null;
  readonly old_state: string | null;
  readonly old_run: string | null;
  readonly old_attempts: number | null;
  readonly old_error_type: string | null;
  readonly old_error: string | null;
  readonly old_hash: string | null;
}

const claimStatement = (request: ClaimRequest) => sql`
  with run as (
    select id, epoch_id, finished_at is null as open, abort_requested_at is not null as aborted,
           coalesce(failed > max_failures, false) as exceeded
    from pipeline_runs where id = ${request.run}
  ), wanted as (
    select distinct unnest(${sql.param([...request.itemIds])}::text[]) as item_id
  ), taken as (
    insert into pipeline_items as i (epoch_id, item_id, state, run_id, workflow_id, activity_id, worker)
    select run.epoch_id, wanted.item_id, 'claimed', run.id, ${request.workflowId}, ${request.activityId}, ${request.worker}
    from run, wanted where run.open and not run.aborted and not run.exceeded
    order by wanted.item_id
    on conflict (epoch_id, item_id) do update set
      state = case when i.run_id = excluded.run_id and i.attempts >= ${request.maxAttempts} then 'failed' else 'claimed' end,
      failed_runs = i.failed_runs + case when i.run_id = excluded.run_id and i.attempts >= ${request.maxAttempts} then 1 else 0 end,
      finished_at = case when i.run_id = excluded.run_id and i.attempts >= ${request.maxAttempts} then now() end,
      error_type = case when i.run_id = excluded.run_id then coalesce(i.error_type, case when i.attempts >= ${request.maxAttempts} then 'ItemTimeout' end) end,
      error = case when i.run_id = excluded.run_id then coalesce(i.error, case when i.attempts >= ${request.maxAttempts} then 'no attempt ended in time' end) end,
      attempts = case when i.run_id <> excluded.run_id then 1 when i.attempts >= ${request.maxAttempts} then i.attempts else i.attempts + 1 end,
      free_waits = case when i.run_id <> excluded.run_id then 0 else i.free_waits end,
      token = i.token + 1, run_id = excluded.run_id, workflow_id = excluded.workflow_id,
      activity_id = excluded.activity_id, worker = excluded.worker, claimed_at = now()
    where i.state = 'open'
      or (i.state = 'failed' and i.run_id <> excluded.run_id
          and (${request.retakesFailed} = 'always' or (${request.retakesFailed} = 'nextRun' and i.failed_runs < ${MAX_FAILED_RUNS})))
      or (i.state = 'claimed' and (
          (i.workflow_id = excluded.workflow_id and i.activity_id = excluded.activity_id)
          or not exists (select 1 from worker_leases l where l.identity = i.worker and l.lease_until > now())
          or exists (select 1 from pipeline_runs r where r.id = i.run_id and r.finished_at is not null)))
    returning i.id, i.item_id, i.token, i.attempts, i.free_waits, i.state, i.error_type, i.error
  ), counted as (
    update pipeline_runs set failed = failed + (select count(*) from taken where state = 'failed')
    where id = ${request.run} and exists (select 1 from taken where state = 'failed')
    returning coalesce(failed > max_failures, false) as now_exceeded
  )
  select run.open, run.aborted, run.exceeded, (select now_exceeded from counted) as now_exceeded,
         wanted.item_id, taken.id::text as row_id, taken.token, taken.attempts, taken.free_waits, taken.state, taken.error_type, taken.error,
         old.state as old_state, old.run_id::text as old_run, old.attempts as old_attempts,
         old.error_type as old_error_type, old.error as old_error, old.result_hash as old_hash
  from run cross join wanted
  left join taken on taken.item_id = wanted.item_id
  left join pipeline_items old on old.epoch_id = run.epoch_id and old.item_id = wanted.item_id`;

const toAnswer = (row: ClaimRow, run: string): ClaimAnswer => {
  const itemId = row.item_id as string;
  if (row.state === 'failed')
    return { kind: 'exhausted', itemId, errorType: row.error_type as string, error: row.error as string, attempts: row.attempts as number };
  if (row.state !== null)
    return {
      kind: 'claimed',
      claim: {
        rowId: row.row_id as string,
        itemId,
        token: row.token as number,
        attempt: row.attempts as number,
        freeWaits: row.free_waits as number,
      },
    };
  if (row.old_state === 'done' || row.old_state === 'failed' || row.old_state === 'skipped')
    return {
      kind: 'ended',
      itemId,
      state: row.old_state,
      byThisRun: row.old_run === run,
      attempts: row.old_attempts ?? 0,
      errorType: row.old_error_type,
      error: row.old_error,
      resultHash: row.old_hash,
    };
  return { kind: 'held', itemId };
};

/** Claims items in one conditional statement, and answers in the order they were asked for: inserts, or takes over what may be taken; an item that used up its attempts is written `failed` instead. */
export const claimItems = async (executor: Executor, request: ClaimRequest): Promise<Claims> => {
  const rows = await readRows<ClaimRow>(executor, claimStatement(request));
  const [first] = rows;
  if (first === undefined || !first.open) return { answers: [], refused: 'finished', exceeded: false };
  if (first.aborted || first.exceeded) return { answers: [], refused: first.aborted ? 'aborted' : 'threshold', exceeded: false };
  const byId = new Map(rows.map((row) => [row.item_id, row]));
  const inOrder = [...new Set(request.itemIds)].flatMap((itemId) => byId.get(itemId) ?? []);
  return { answers: inOrder.map((row) => toAnswer(row, request.run)), refused: null, exceeded: first.now_exceeded === true };
};
