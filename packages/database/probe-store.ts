import { sql } from './drizzle.ts';
import type { Database, Executor } from './database.ts';
import { inTransaction, readRow } from './database.ts';
import type { KeysetSource } from './eligible.ts';

/** The items of a probe set in the order they were seeded. */
export const probeSource = (set: string): KeysetSource => ({
  query: sql`select p.item_id, p.seq as sort_key from probe_items p where p.probe_set = ${set}`,
  sortType: 'integer',
});

export interface ProbeSeed {
  readonly set: string;
  readonly items: number;
  readonly sleepMs: number;
  /** Every k-th item fails; null for none. */
  readonly failEvery: number | null;
  /** How many executions of such an item fail before one succeeds; null for all. */
  readonly failTimes: number | null;
}

const ALWAYS = 1_000_000;

/** Seeds a set anew: its former items, executions and ledger are dropped in the same transaction. */
export const seedProbe = (db: Database, seed: ProbeSeed): Promise<void> =>
  inTransaction(db, async (tx) => {
    const { set } = seed;
    // Millions of rows take longer than any statement of a run may.
    await tx.execute(sql`set local statement_timeout = '10min'`);
    await tx.execute(sql`delete from probe_items where probe_set = ${set}`);
    await tx.execute(sql`delete from probe_executions where probe_set = ${set}`);
    await tx.execute(sql`
      delete from pipeline_items where epoch_id in (select id from pipeline_epochs where pipeline = 'probe' and scope = ${set})`);
    await tx.execute(sql`
      insert into probe_items (probe_set, seq, item_id, sleep_ms, fail_times)
      select ${set}, n, 'item-' || lpad(n::text, 7, '0'), ${seed.sleepMs},
        case when ${seed.failEvery}::int is not null and n % ${seed.failEvery}::int = 0 then ${seed.failTimes ?? ALWAYS}::int else 0 end
      from generate_series(1, ${seed.items}::int) n`);
  });

export interface ProbeReport {
  readonly items: number;
  readonly done: number;
  readonly failed: number;
  readonly executions: number;
  readonly duplicates: number;
  readonly maxOverlap: number;
  readonly maxStartsPerSecond: number;
  readonly firstStartAt: string | null;
  readonly lastEndAt: string | null;
  readonly itemsPerSecond: number | null;
}

/**
 * What really happened to a set, computed in SQL. `duplicates`: items executed successfully more than once. `maxOverlap`: most executions
 * at once; one without an end counts until the next execution of its item began, else to the last instant known. `maxStartsPerSecond`:
 * most first attempts in any window of one second.
 */
export const readProbeReport = (executor: Executor, set: string): Promise<ProbeReport> =>
  readRow(
    executor,
    sql`
    with x as (
      select *, coalesce(ended_at, lead(started_at) over (partition by item_id order by started_at), max(greatest(started_at, ended_at)) over ()) as until
      from probe_executions where probe_set = ${set}
    ), ledger as (
      select i.state from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id
      where e.pipeline = 'probe' and e.scope = ${set} and e.epoch = (select max(epoch) from pipeline_epochs where pipeline = 'probe' and scope = ${set})
    ), steps as (
      select started_at as at, 1 as step from x union all select until, -1 from x
    ), overlap as (
      select sum(step) over (order by at, step rows unbounded preceding) as running from steps
    ), starts as (
      select count(*) over (order by started_at range between current row and interval '999999 microseconds' following) as in_second
      from x where attempt = 1
    )
    select (select count(*)::int from probe_items where probe_set = ${set}) as items,
      (select count(*)::int from ledger where state = 'done') as done,
      (select count(*)::int from ledger where state = 'failed') as failed,
      (select count(*)::int from x) as executions,
      (select count(*)::int from (select item_id from x where succeeded group by item_id, run_id having count(*) > 1) d) as duplicates,
      (select coalesce(max(running), 0)::int from overlap) as "maxOverlap",
      (select coalesce(max(in_second), 0)::int from starts) as "maxStartsPerSecond",
      (select min(started_at) from x) as "firstStartAt", (select max(ended_at) from x) as "lastEndAt",
      (select round((count(*) filter (where succeeded) / nullif(extract(epoch from max(ended_at) - min(started_at)), 0))::numeric, 2)::float8 from x) as "itemsPerSecond"`,
  );
