import { sql } from '../../packages/database/drizzle.ts';
import type { Database } from '../../packages/database/database.ts';
import { readRow } from '../../packages/database/database.ts';

/** Items of a scope's current epoch by state, and the scope's run rows. */
export interface LedgerStates {
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly open: number;
  readonly runs: number;
}

/** Writes ledger rows as an earlier run of the first epoch would have left them. */
export async function markDone(db: Database, set: string, itemIds: readonly string[]): Promise<void> {
  await db.execute(sql`
    with epoch as (insert into pipeline_epochs (pipeline, scope, epoch) values ('probe', ${set}, 1)
      on conflict (pipeline, scope, epoch) do update set epoch = 1 returning id)
    insert into pipeline_items (epoch_id, item_id, state, run_id, workflow_id, activity_id, worker, finished_at)
    select epoch.id, item_id, 'done', 0, 'earlier', '1', 'earlier', now() from epoch, unnest(${sql.param([...itemIds])}::text[]) item_id`);
}

/** Counts the ledger of a scope; a scope without any row has none. */
export const readLedgerStates = (db: Database, set: string, pipeline = 'probe'): Promise<LedgerStates> =>
  readRow<LedgerStates>(
    db,
    sql`
    select count(i.*) filter (where i.state = 'done')::int as done, count(i.*) filter (where i.state = 'failed')::int as failed,
      count(i.*) filter (where i.state = 'skipped')::int as skipped, count(i.*) filter (where i.state in ('open', 'claimed'))::int as open,
      (select count(*)::int from pipeline_runs r where r.pipeline = ${pipeline} and r.scope = ${set}) as runs
    from pipeline_epochs e left join pipeline_items i on i.epoch_id = e.id where e.pipeline = ${pipeline} and e.scope = ${set}
      and e.epoch = (select max(epoch) from pipeline_epochs where pipeline = ${pipeline} and scope = ${set})`,
  );
