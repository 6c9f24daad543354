import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { prepareStatement } from './prepared.ts';

/** An item and the activity that asks for it. */
export interface Claimant {
  readonly itemId: string;
  readonly workflowId: string;
  readonly activityId: string;
}

/** Who claims what for which run, and the rules that decide what may be taken; no two claimants want the same item. */
export interface ClaimRequest {
  readonly run: string;
  readonly claimants: readonly Claimant[];
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
}

interface ClaimValues extends Record<string, unknown>, Pick<ClaimRequest, 'run' | 'worker' | 'maxAttempts' | 'retakesFailed'> {
  readonly itemIds: readonly string[];
  readonly workflowIds: readonly string[];
  readonly activityIds: readonly string[];
}

const run = sql`${sql.placeholder('run')}::bigint`;
const usedUp = sql`i.attempts >= ${sql.placeholder('maxAttempts')}::int`;
const retakes = sql`${sql.placeholder('retakesFailed')}::text`;

const claimStatement = prepareStatement<ClaimValues, ClaimRow>(
  'strata_claim_items',
  sql`
  with run as (
    select id, epoch_id, finished_at is null as open, abort_requested_at is not null as aborted,
           coalesce(failed > max_failures, false) as exceeded
    from pipeline_runs where id = ${run}
  ), taken as (
    insert into pipeline_items as i (epoch_id, item_id, state, run_id, workflow_id, activity_id, worker)
    select run.epoch_id, wanted.item_id, 'claimed', run.id, wanted.workflow_id, wanted.activity_id, ${sql.placeholder('worker')}::text
    from run cross join unnest(${sql.placeholder('itemIds')}::text[], ${sql.placeholder('workflowIds')}::text[], ${sql.placeholder('activityIds')}::text[])
      as wanted(item_id, workflow_id, activity_id)
    where run.open and not run.aborted and not run.exceeded
    order by wanted.item_id
    on conflict (epoch_id, item_id) do update set
      state = case when i.run_id = excluded.run_id and ${usedUp} then 'failed' else 'claimed' end,
      failed_runs = i.failed_runs + case when i.run_id = excluded.run_id and ${usedUp} then 1 else 0 end,
      finished_at = case when i.run_id = excluded.run_id and ${usedUp} then now() end,
      error_type = case when i.run_id = excluded.run_id then coalesce(i.error_type, case when ${usedUp} then 'ItemTimeout' end) end,
      error = case when i.run_id = excluded.run_id then coalesce(i.error, case when ${usedUp} then 'no attempt ended in time' end) end,
      attempts = case when i.run_id <> excluded.run_id then 1 when ${usedUp} then i.attempts else i.attempts + 1 end,
      free_waits = case when i.run_id <> excluded.run_id then 0 else i.free_waits end,
      token = i.token + 1, run_id = excluded.run_id, workflow_id = excluded.workflow_id,
      activity_id = excluded.activity_id, worker = excluded.worker, claimed_at = now()
    where i.state = 'open'
      or (i.state = 'failed' and i.run_id <> excluded.run_id
          and (${retakes} = 'always' or (${retakes} = 'nextRun' and i.failed_runs < ${sql.raw(String(MAX_FAILED_RUNS))})))
      or (i.state = 'claimed' and (
          (i.workflow_id = excluded.workflow_id and i.activity_id = excluded.activity_id)
          or not exists (select 1 from worker_leases l where l.identity = i.worker and l.lease_until > now())
          or exists (select 1 from pipeline_runs r where r.id = i.run_id and r.finished_at is not null)))
    returning i.id, i.item_id, i.token, i.attempts, i.free_waits, i.state, i.error_type, i.error
  ), counted as (
    update pipeline_runs set failed = failed + (select count(*) from taken where state = 'failed')
    where id = ${run} and exists (select 1 from taken where state = 'failed')
    returning coalesce(failed > max_failures, false) as now_exceeded
  )
  select run.open, run.aborted, run.exceeded, (select now_exceeded from counted) as now_exceeded,
         taken.item_id, taken.id::text as row_id, taken.token, taken.attempts, taken.free_waits, taken.state, taken.error_type, taken.error
  from run left join taken on true`,
);

interface OtherRow {
  readonly item_id: string;
  readonly state: string;
  readonly by_this_run: boolean;
  readonly attempts: number;
  readonly error_type: string | null;
  readonly error: string | null;
  readonly result_hash: string | null;
}

const othersStatement = prepareStatement<{ readonly run: string; readonly itemIds: readonly string[] }, OtherRow>(
  'strata_read_unclaimed_items',
  sql`
  select i.item_id, i.state, i.run_id = r.id as by_this_run, i.attempts, i.error_type, i.error, i.result_hash
  from pipeline_runs r cross join unnest(${sql.placeholder('itemIds')}::text[]) as wanted(item_id)
  cross join lateral (select * from pipeline_items o where o.epoch_id = r.epoch_id and o.item_id = wanted.item_id limit 1) i
  where r.id = ${run}`,
);

const answerOfTaken = (row: ClaimRow): ClaimAnswer => {
  const itemId = row.item_id as string;
  const attempts = row.attempts as number;
  if (row.state === 'failed') return { kind: 'exhausted', itemId, errorType: row.error_type as string, error: row.error as string, attempts };
  const claim = { rowId: row.row_id as string, itemId, token: row.token as number, attempt: attempts, freeWaits: row.free_waits as number };
  return { kind: 'claimed', claim };
};

const answerOfOther = (row: OtherRow): ClaimAnswer => {
  const { item_id: itemId, state } = row;
  // Given back since the claim was tried: the next try gets it.
  if (state !== 'done' && state !== 'failed' && state !== 'skipped') return { kind: 'held', itemId };
  const { by_this_run: byThisRun, attempts, error_type: errorType, error, result_hash: resultHash } = row;
  return { kind: 'ended', itemId, state, byThisRun, attempts, errorType, error, resultHash };
};

/**
 * Claims items in one conditional statement, and answers in the order they were asked for: inserts, or takes over what may be taken; an item that
 * used up its attempts is written `failed` instead. What became of items that were not to be had is read afterwards.
 */
export const claimItems = async (executor: Executor, request: ClaimRequest): Promise<Claims> => {
  const { claimants, ...rules } = request;
  const itemIds = claimants.map(({ itemId }) => itemId);
  const rows = await claimStatement.rows(executor, {
    ...rules,
    itemIds,
    workflowIds: claimants.map(({ workflowId }) => workflowId),
    activityIds: claimants.map(({ activityId }) => activityId),
  });
  const [first] = rows;
  if (first === undefined || !first.open) return { answers: [], refused: 'finished', exceeded: false };
  if (first.aborted || first.exceeded) return { answers: [], refused: first.aborted ? 'aborted' : 'threshold', exceeded: false };
  const byId = new Map(rows.flatMap((row) => (row.item_id === null ? [] : [[row.item_id, answerOfTaken(row)] as const])));
  const others = itemIds.filter((itemId) => !byId.has(itemId));
  if (others.length > 0)
    for (const row of await othersStatement.rows(executor, { run: request.run, itemIds: others })) byId.set(row.item_id, answerOfOther(row));
  return { answers: itemIds.map((itemId) => byId.get(itemId) ?? { kind: 'held', itemId }), refused: null, exceeded: first.now_exceeded === true };
};
