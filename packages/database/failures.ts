import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { isoText, readRow, readRows } from './database.ts';

/** A failed item as the ledger has it; `error` is the short reason, ≤ 1 kB. */
export interface FailedItem {
  readonly itemId: string;
  readonly errorType: string;
  readonly error: string;
  readonly attempts: number;
  readonly finishedAt: string;
}

/** Which failed items of an epoch are wanted: those behind `after`, in the order of their ids. */
export interface FailedItemsRequest {
  readonly epochId: string;
  readonly after: string | null;
  readonly limit: number;
}

/** One page of the items that are failed now in an epoch: exactly what a redrive would take. */
export const readFailedItems = (executor: Executor, { epochId, after, limit }: FailedItemsRequest): Promise<FailedItem[]> =>
  readRows<FailedItem>(
    executor,
    sql`select item_id as "itemId", error_type as "errorType", coalesce(error, '') as error, attempts,
          ${isoText(sql`finished_at`)} as "finishedAt"
        from pipeline_items
        where epoch_id = ${epochId}::bigint and state = 'failed' and item_id > coalesce(${after}::text, '')
        order by item_id limit ${limit}`,
  );

/** How many items are failed now in an epoch. */
export const countFailedItems = async (executor: Executor, epochId: string): Promise<number> =>
  (
    await readRow<{ failed: number }>(
      executor,
      sql`select count(*)::int as failed from pipeline_items where epoch_id = ${epochId}::bigint and state = 'failed'`,
    )
  ).failed;
