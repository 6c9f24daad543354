import { sql } from 'drizzle-orm';
import type { Executor } from './database.ts';
import { readRow, readRows } from './database.ts';
import type { Claim } from './item-claims.ts';

/** How a claimed item ended well; `result` is JSON text of at most 256 KiB, or null. */
export interface ItemEnding {
  readonly claim: Claim;
  readonly state: 'done' | 'skipped';
  readonly result: string | null;
  readonly resultHash: string | null;
  readonly reason: string | null;
}

/** `written` by this statement, or `landed`: an earlier try of the same write had reached the database although its answer was lost. */
export type Ended = 'written' | 'landed';

/**
 * Writes done and skipped rows in one statement, each only if its claim's token still holds.
 * Answers, by row id, those that are ended by exactly these claims.
 */
export const endItems = async (executor: Executor, endings: readonly ItemEnding[]): Promise<ReadonlyMap<string, Ended>> => {
  const rows = await readRows<{ row_id: string; ended: Ended }>(
    executor,
    sql`
    with given as (
      select * from unnest(
        ${sql.param(endings.map(({ claim }) => claim.rowId))}::bigint[], ${sql.param(endings.map(({ claim }) => claim.token))}::int[],
        ${sql.param(endings.map(({ state }) => state))}::text[], ${sql.param(endings.map(({ result }) => result))}::text[],
        ${sql.param(endings.map(({ resultHash }) => resultHash))}::text[], ${sql.param(endings.map(({ reason }) => reason))}::text[]
      ) as g(row_id, token, state, result, result_hash, reason)
    ), written as (
      update pipeline_items i
      set state = g.state, finished_at = now(), result = g.result::jsonb, result_hash = g.result_hash, error_type = null, error = g.reason
      from given g where i.id = g.row_id and i.token = g.token and i.state = 'claimed'
      returning i.id
    )
    select id::text as row_id, 'written' as ended from written
    union all
    select i.id::text, 'landed' from pipeline_items i join given g on i.id = g.row_id and i.token = g.token and i.state = g.state`,
  );
  return new Map(rows.map((row) => [row.row_id, row.ended]));
};

/** Why an attempt did not end its item: `final` writes `failed`; otherwise the item is open again, and `free` gives the attempt back. */
export interface ItemAttemptFailure {
  readonly run: string;
  readonly claim: Claim;
  readonly errorType: string;
  readonly error: string;
  readonly kind: 'final' | 'retry' | 'free';
}

export interface FailureWritten {
  /** False when the claim had been taken over or the item had ended: the attempt's outcome no longer counts. */
  readonly written: boolean;
  /** The run's failure threshold is exceeded. */
  readonly exceeded: boolean;
}

/** Writes one failed attempt under its token; a final one is added to the run row by the same statement. */
export const failItem = async (executor: Executor, failure: ItemAttemptFailure): Promise<FailureWritten> => {
  const isFinal = failure.kind === 'final';
  return readRow<FailureWritten>(
    executor,
    sql`
    with written as (
      update pipeline_items set
        state = ${isFinal ? 'failed' : 'open'}, error_type = ${failure.errorType}, error = ${failure.error},
        attempts = attempts - ${failure.kind === 'free' ? 1 : 0},
        free_waits = case when ${failure.kind === 'free'} then free_waits + 1 else 0 end, failed_runs = failed_runs + ${isFinal ? 1 : 0},
        finished_at = case when ${isFinal} then now() end
      where id = ${failure.claim.rowId} and token = ${failure.claim.token} and state = 'claimed'
      returning id
    ), counted as (
      update pipeline_runs set failed = failed + 1
      where ${isFinal} and id = ${failure.run} and exists (select 1 from written)
      returning coalesce(failed > max_failures, false) as exceeded
    )
    select exists (select 1 from written) as written, coalesce((select exceeded from counted), false) as exceeded`,
  );
};

/** Gives claims back unended (interrupted, handed back): the items are open again. */
export const releaseItems = async (executor: Executor, claims: readonly Claim[]): Promise<void> => {
  await executor.execute(sql`
    update pipeline_items i set state = 'open', attempts = greatest(0, i.attempts - 1)
    from unnest(${sql.param(claims.map(({ rowId }) => rowId))}::bigint[], ${sql.param(claims.map(({ token }) => token))}::int[]) as g(row_id, token)
    where i.id = g.row_id and i.token = g.token and i.state = 'claimed'`);
};
