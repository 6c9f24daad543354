import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRow } from './database.ts';
import type { Claim } from './item-claims.ts';
import { prepareStatement } from './prepared.ts';

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

interface EndOneValues extends Record<string, unknown> {
  readonly rowId: string;
  readonly token: number;
  readonly state: string;
  readonly result: string | null;
  readonly resultHash: string | null;
  readonly reason: string | null;
}

interface EndValues extends Record<string, unknown> {
  readonly rowIds: readonly string[];
  readonly tokens: readonly number[];
  readonly states: readonly string[];
  readonly results: readonly (string | null)[];
  readonly resultHashes: readonly (string | null)[];
  readonly reasons: readonly (string | null)[];
}

// Rows of `g` that still hold their items. The last conditions always hold: estimated at one row, the join keeps to the index although a new table's
// statistics say nothing. And the state is no condition for an index: older statistics know of no claimed row, and to read all that are claimed now for
// each row would look cheap.
const isHeld = sql`i.id = g.row_id and i.token = g.token and (i.state || '') = 'claimed' and g.row_id > 0 and g.token > 0`;

const endStatement = prepareStatement<EndValues, { readonly row_id: string }>(
  'strata_end_items',
  sql`
  update pipeline_items i
  set state = g.state, finished_at = now(), result = g.result::jsonb, result_hash = g.result_hash, error_type = null, error = g.reason
  from unnest(
    ${sql.placeholder('rowIds')}::bigint[], ${sql.placeholder('tokens')}::int[], ${sql.placeholder('states')}::text[],
    ${sql.placeholder('results')}::text[], ${sql.placeholder('resultHashes')}::text[], ${sql.placeholder('reasons')}::text[]
  ) as g(row_id, token, state, result, result_hash, reason)
  where ${isHeld}
  returning i.id::text as row_id`,
);

const endOneStatement = prepareStatement<EndOneValues, { readonly row_id: string }>(
  'strata_end_item',
  sql`
  update pipeline_items
  set state = ${sql.placeholder('state')}, finished_at = now(), result = ${sql.placeholder('result')}::jsonb, result_hash = ${sql.placeholder('resultHash')},
    error_type = null, error = ${sql.placeholder('reason')}
  where id = ${sql.placeholder('rowId')}::bigint and token = ${sql.placeholder('token')}::int and state = 'claimed'
  returning id::text as row_id`,
);

const landedStatement = prepareStatement<Pick<EndValues, 'rowIds' | 'tokens' | 'states'>, { readonly row_id: string }>(
  'strata_read_landed_items',
  sql`
  select i.id::text as row_id
  from unnest(${sql.placeholder('rowIds')}::bigint[], ${sql.placeholder('tokens')}::int[], ${sql.placeholder('states')}::text[]) as g(row_id, token, state)
  cross join lateral (select o.id from pipeline_items o where o.id = g.row_id and o.token = g.token and o.state = g.state limit 1) i`,
);

const claimsOf = (endings: readonly ItemEnding[]): Pick<EndValues, 'rowIds' | 'tokens' | 'states'> => ({
  rowIds: endings.map(({ claim }) => claim.rowId),
  tokens: endings.map(({ claim }) => claim.token),
  states: endings.map(({ state }) => state),
});

/** A single row takes half the time without the join. */
const writeEndings = (executor: Executor, endings: readonly ItemEnding[]): Promise<readonly { readonly row_id: string }[]> => {
  const [{ claim, state, result, resultHash, reason }, ...more] = endings as readonly [ItemEnding, ...ItemEnding[]];
  if (more.length === 0) return endOneStatement.rows(executor, { rowId: claim.rowId, token: claim.token, state, result, resultHash, reason });
  return endStatement.rows(executor, {
    ...claimsOf(endings),
    results: endings.map((ending) => ending.result),
    resultHashes: endings.map((ending) => ending.resultHash),
    reasons: endings.map((ending) => ending.reason),
  });
};

/**
 * Writes done and skipped rows in one statement, each only if its claim's token still holds.
 * Answers, by row id, those that are ended by exactly these claims.
 */
export const endItems = async (executor: Executor, endings: readonly ItemEnding[]): Promise<ReadonlyMap<string, Ended>> => {
  const written = await writeEndings(executor, endings);
  const ended = new Map<string, Ended>(written.map((row) => [row.row_id, 'written']));
  if (ended.size === endings.length) return ended;
  for (const row of await landedStatement.rows(executor, claimsOf(endings))) if (!ended.has(row.row_id)) ended.set(row.row_id, 'landed');
  return ended;
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
    where ${isHeld}`);
};
