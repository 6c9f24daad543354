import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { prepareStatement } from './prepared.ts';

/** An execution of an item that begins. */
export interface ProbeExecution extends Readonly<Record<string, unknown>> {
  readonly set: string;
  readonly itemId: string;
  readonly run: string;
  readonly attempt: number;
}

export interface ProbeStart {
  readonly executionId: string;
  readonly sleepMs: number;
  /** The item is seeded to fail so often, and has not yet in this run. */
  readonly fails: boolean;
}

const [set, itemId] = [sql`${sql.placeholder('set')}::text`, sql`${sql.placeholder('itemId')}::text`];
const [run, attempt] = [sql`${sql.placeholder('run')}::bigint`, sql`${sql.placeholder('attempt')}::int`];

const startStatement = prepareStatement<ProbeExecution, ProbeStart>(
  'strata_start_probe',
  sql`
  with item as (
    select * from probe_items where probe_set = ${set} and item_id = ${itemId}
  ), begun as (
    insert into probe_executions (probe_set, item_id, run_id, attempt, started_at)
    select probe_set, item_id, ${run}, ${attempt}, clock_timestamp() from item
    returning id
  )
  select begun.id::text as "executionId", item.sleep_ms as "sleepMs",
    item.fail_times > 0 and item.fail_times > (
      select count(*) from probe_executions x where x.probe_set = item.probe_set and x.item_id = item.item_id and x.run_id = ${run}
    ) as fails
  from begun, item`,
);

/** Records that an item's execution began; null when the item is not there any more. */
export const recordProbeStart = async (executor: Executor, execution: ProbeExecution): Promise<ProbeStart | null> =>
  (await startStatement.rows(executor, execution))[0] ?? null;

const wholeStatement = prepareStatement<ProbeExecution, { readonly id: string }>(
  'strata_record_probe',
  sql`
  with updated as (
    update probe_items set counter = counter + 1 where probe_set = ${set} and item_id = ${itemId} returning clock_timestamp() as at
  )
  insert into probe_executions (probe_set, item_id, run_id, attempt, started_at, ended_at, succeeded)
  select ${set}, ${itemId}, ${run}, ${attempt}, at, clock_timestamp(), true from updated
  returning id::text`,
);

/** Makes the one update of an item that takes no time, and records its whole execution, in one statement; false when the item is not there any more. */
export const recordProbeWhole = async (executor: Executor, execution: ProbeExecution): Promise<boolean> =>
  (await wholeStatement.rows(executor, execution)).length > 0;

const endStatement = prepareStatement<{ readonly executionId: string; readonly succeeded: boolean }, never>(
  'strata_end_probe',
  sql`
  with ended as (
    update probe_executions set ended_at = clock_timestamp(), succeeded = ${sql.placeholder('succeeded')}::boolean
    where id = ${sql.placeholder('executionId')}::bigint returning probe_set, item_id
  )
  update probe_items set counter = counter + 1 where (probe_set, item_id) = (select probe_set, item_id from ended)`,
);

/** Records that an execution ended, and makes the item's one update. */
export const recordProbeEnd = async (executor: Executor, executionId: string, succeeded: boolean): Promise<void> => {
  await endStatement.rows(executor, { executionId, succeeded });
};
