import type { Position } from './cursor.ts';
import { sql } from './drizzle.ts';
import type { SQL } from 'drizzle-orm';
import type { Executor } from './database.ts';
import { readRow, readRows } from './database.ts';
import { MAX_FAILED_RUNS } from './item-claims.ts';

/** A pipeline's eligible rows: a query with the columns `item_id` (text) and `sort_key`, which never changes for a row. */
export interface KeysetSource {
  readonly query: SQL;
  readonly sortType: 'bigint' | 'integer' | 'timestamptz' | 'text';
}

/** What narrows the source: chosen ids, and how rows of the ledger count. */
export interface Selection {
  readonly source: KeysetSource;
  readonly epochId: string | null;
  readonly itemIds: readonly string[] | null;
  readonly retryFailed: 'nextRun' | 'redrive';
}

const rowsOf = ({ source, itemIds }: Selection): SQL =>
  itemIds === null ? source.query : sql`select * from (${source.query}) chosen where chosen.item_id = any(${sql.param([...itemIds])}::text[])`;

const processedExpression = ({ retryFailed }: Selection): SQL =>
  retryFailed === 'redrive'
    ? sql`coalesce(i.state in ('done', 'skipped', 'failed'), false)`
    : sql`coalesce(i.state in ('done', 'skipped') or (i.state = 'failed' and i.failed_runs >= ${MAX_FAILED_RUNS}), false)`;

// One look at the index a row, whatever the statistics say: of a new epoch they say that it has one row, and a plain join reads all of them for each.
const ledgerJoin = ({ epochId }: Selection): SQL => sql`
  left join lateral (select l.state, l.failed_runs from pipeline_items l where l.epoch_id = ${epochId}::bigint and l.item_id = e.item_id limit 1) i on true`;

const row = (position: Position, { source }: Selection): SQL => sql`(${position[0]}::${sql.raw(source.sortType)}, ${position[1]}::text)`;

export interface EligibleCount {
  readonly total: number;
  readonly processed: number;
  /** Greatest position that the count saw, or null when it saw none: the run's upper bound. */
  readonly upperBound: Position | null;
}

/** Counts what the pages will walk, with the pages' own query: first the upper bound, then all rows up to it. */
export const countEligible = async (executor: Executor, selection: Selection): Promise<EligibleCount> => {
  const [last] = await readRows<{ sort_key: string; item_id: string }>(
    executor,
    sql`select e.sort_key::text as sort_key, e.item_id from (${rowsOf(selection)}) e order by e.sort_key desc, e.item_id desc limit 1`,
  );
  if (last === undefined) return { total: 0, processed: 0, upperBound: null };
  const upperBound: Position = [last.sort_key, last.item_id];
  const counted = await readRow<{ total: string; processed: string }>(
    executor,
    sql`select count(*) as total, count(*) filter (where ${processedExpression(selection)}) as processed
        from (${rowsOf(selection)}) e ${ledgerJoin(selection)} where (e.sort_key, e.item_id) <= ${row(upperBound, selection)}`,
  );
  return { total: Number(counted.total), processed: Number(counted.processed), upperBound };
};

export interface PageRequest {
  readonly selection: Selection;
  readonly after: Position | null;
  readonly upperBound: Position;
  readonly pageSize: number;
}

export interface EligiblePage {
  readonly ids: readonly string[];
  readonly skippedItems: number;
  readonly next: Position | null;
}

const PAGE_BYTES = 512 * 1024;

/** The rows whose ids fit into one answer: a page of very long ids ends early, and the next one goes on from there. */
const withinBytes = <Row extends { readonly item_id: string }>(rows: readonly Row[]): readonly Row[] => {
  let bytes = 0;
  const end = rows.findIndex(({ item_id }) => (bytes += Buffer.byteLength(item_id)) > PAGE_BYTES);
  return end <= 0 ? rows : rows.slice(0, end);
};

/** One page in keyset order: its open ids, how many rows it filtered out, and where the next page begins; one look-ahead row decides whether there is one. */
export const listEligible = async (executor: Executor, { selection, after, upperBound, pageSize }: PageRequest): Promise<EligiblePage> => {
  const beyond = after === null ? sql`true` : sql`(e.sort_key, e.item_id) > ${row(after, selection)}`;
  const rows = await readRows<{ item_id: string; sort_key: string; processed: boolean }>(
    executor,
    sql`select e.item_id, e.sort_key::text as sort_key, ${processedExpression(selection)} as processed
        from (${rowsOf(selection)}) e ${ledgerJoin(selection)}
        where ${beyond} and (e.sort_key, e.item_id) <= ${row(upperBound, selection)}
        order by e.sort_key, e.item_id limit ${pageSize + 1}`,
  );
  const page = withinBytes(rows.slice(0, pageSize));
  const last = page.at(-1);
  const ids = page.filter(({ processed }) => !processed).map(({ item_id }) => item_id);
  const next: Position | null = rows.length > page.length && last !== undefined ? [last.sort_key, last.item_id] : null;
  return { ids, skippedItems: page.length - ids.length, next };
};
