import { sql } from './drizzle.ts';
import type { KeysetSource } from './eligible.ts';

/** The items of an epoch that are failed now, other than those that this very run failed again. */
export const failedItemsSource = (epochId: string | null, run: string | null): KeysetSource => ({
  query: sql`select f.item_id, f.id as sort_key from pipeline_items f
    where f.epoch_id = ${epochId}::bigint and f.state = 'failed' and f.run_id <> coalesce(${run}::bigint, 0)`,
  sortType: 'bigint',
});
