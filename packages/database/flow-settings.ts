import type { FlowChange, FlowSetting } from '../contracts/flow-activities.ts';
import { NO_LIMIT } from '../contracts/flow-limits.ts';
import type { FlowKey, FlowLimit, LimitSource } from '../contracts/flow-limits.ts';
import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRows } from './database.ts';

interface SettingRow {
  readonly key: string;
  readonly source: 'operator' | 'deployment';
  readonly parallelism: number | null;
  readonly ratePerSecond: number | null;
  readonly isUnlimited: boolean;
  readonly isPaused: boolean;
}

const limitOf = (rows: readonly SettingRow[], source: LimitSource): FlowLimit | null => {
  const row = rows.find((each) => each.source === source);
  if (row?.isUnlimited === true) return NO_LIMIT;
  if (row === undefined || (row.parallelism === null && row.ratePerSecond === null)) return null;
  return { parallelism: row.parallelism, ratePerSecond: row.ratePerSecond };
};

const toSetting = (rows: readonly SettingRow[]): FlowSetting => {
  const isPaused = rows.some((row) => row.isPaused);
  const operator = limitOf(rows, 'operator');
  if (operator !== null) return { limit: operator, source: 'operator', isPaused };
  const deployment = limitOf(rows, 'deployment');
  return { limit: deployment, source: deployment === null ? 'contract' : 'deployment', isPaused };
};

/** What applies to each of the keys: the operator's limit, else the deployment's, else none (the contract's own). */
export const loadFlowSettings = async (executor: Executor, keys: readonly string[]): Promise<ReadonlyMap<string, FlowSetting>> => {
  const rows = await readRows<SettingRow>(
    executor,
    sql`select key, source, parallelism, rate_per_second as "ratePerSecond", is_unlimited as "isUnlimited", is_paused as "isPaused" from flow_settings
        where key = any(${sql.param([...keys])}::text[])`,
  );
  return new Map(keys.map((key) => [key, toSetting(rows.filter((row) => row.key === key))]));
};

/** Every key that anybody has set, with what applies to it, sorted. */
export const listFlowSettings = async (executor: Executor): Promise<readonly (FlowSetting & { readonly key: string })[]> => {
  const keys = await readRows<{ key: string }>(executor, sql`select distinct key from flow_settings order by key`);
  const settings = await loadFlowSettings(
    executor,
    keys.map(({ key }) => key),
  );
  return [...settings].map(([key, setting]) => ({ key, ...setting }));
};

/** Stores what an operator changes: a limit is replaced whole (null gives it up, so that the default applies), what is not given stays. Answers what applies now. */
export const saveFlowChange = async (executor: Executor, { key, limit, isPaused }: FlowChange): Promise<FlowSetting> => {
  const { parallelism, ratePerSecond } = limit ?? NO_LIMIT;
  const isGiven = limit !== undefined;
  const isUnlimited = limit !== undefined && limit !== null && parallelism === null && ratePerSecond === null;
  await executor.execute(sql`
    insert into flow_settings as s (key, source, parallelism, rate_per_second, is_unlimited, is_paused)
    values (${key}, 'operator', ${parallelism}, ${ratePerSecond}, ${isUnlimited}, ${isPaused ?? false})
    on conflict (key, source) do update set
      parallelism = case when ${isGiven} then excluded.parallelism else s.parallelism end,
      rate_per_second = case when ${isGiven} then excluded.rate_per_second else s.rate_per_second end,
      is_unlimited = case when ${isGiven} then excluded.is_unlimited else s.is_unlimited end,
      is_paused = coalesce(${isPaused ?? null}::boolean, s.is_paused), updated_at = now()`);
  return (await loadFlowSettings(executor, [key])).get(key) as FlowSetting;
};

/** A key whose default a deployment brings, and what applies in its place. */
export interface FlowDifference {
  readonly key: string;
  readonly brought: FlowLimit;
  readonly applies: FlowLimit;
  readonly source: LimitSource;
}

/**
 * Stores the limits that the current version brings (another version only compares); answers those that do not apply because an operator, or
 * the version that is current, says otherwise.
 */
export const saveFlowDefaults = async (
  executor: Executor,
  { keys, buildId, isCurrent }: { readonly keys: readonly FlowKey[]; readonly buildId: string; readonly isCurrent: boolean },
): Promise<readonly FlowDifference[]> => {
  if (isCurrent)
    await executor.execute(sql`
      insert into flow_settings (key, source, parallelism, rate_per_second, build_id)
      select key, 'deployment', parallelism, rate, ${buildId}
      from unnest(${sql.param(keys.map(({ key }) => key))}::text[], ${sql.param(keys.map(({ limit }) => limit.parallelism))}::int[],
        ${sql.param(keys.map(({ limit }) => limit.ratePerSecond))}::int[]) as k(key, parallelism, rate) order by key
      on conflict (key, source) do update set
        parallelism = excluded.parallelism, rate_per_second = excluded.rate_per_second, build_id = excluded.build_id, updated_at = now()`);
  const settings = await loadFlowSettings(
    executor,
    keys.map(({ key }) => key),
  );
  return keys.flatMap(({ key, limit: brought }) => {
    const setting = settings.get(key);
    const applies = setting?.limit ?? brought;
    const isSame = applies.parallelism === brought.parallelism && applies.ratePerSecond === brought.ratePerSecond;
    return isSame || setting === undefined ? [] : [{ key, brought, applies, source: setting.source }];
  });
};
