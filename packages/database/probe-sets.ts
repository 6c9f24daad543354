import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRow } from './database.ts';

/** True if the set was ever seeded with items or run. */
export const hasProbeSet = async (executor: Executor, set: string): Promise<boolean> => {
  const { known } = await readRow<{ known: boolean }>(
    executor,
    sql`select exists (select 1 from probe_items where probe_set = ${set}) or exists (select 1 from probe_executions where probe_set = ${set})
          or exists (select 1 from pipeline_runs where pipeline = 'probe' and scope = ${set}) as known`,
  );
  return known;
};

/** True when no item of the set takes time or fails. */
export const isQuickProbe = async (executor: Executor, set: string): Promise<boolean> => {
  const { quick } = await readRow<{ quick: boolean }>(
    executor,
    sql`select not exists (select 1 from probe_items where probe_set = ${set} and (sleep_ms > 0 or fail_times > 0)) as quick`,
  );
  return quick;
};
