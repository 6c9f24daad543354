import type pg from 'pg';

/** The database's clock. */
export const readClock = async (pool: pg.Pool): Promise<Date> => {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  return (rows[0] as { now: Date }).now;
};

/** How many items of a set were executed successfully. */
export const countSucceeded = async (pool: pg.Pool, set: string): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from probe_executions where probe_set = $1 and succeeded', [set]);
  return rows[0]?.n ?? 0;
};

/** How many executions of a set are under way: begun and not ended. */
export const countRunning = async (pool: pg.Pool, set: string): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from probe_executions where probe_set = $1 and ended_at is null', [
    set,
  ]);
  return rows[0]?.n ?? 0;
};

/** Claims of a set's items that a worker process holds; its identity begins with its process id. */
export const countClaims = async (pool: pg.Pool, { set, pid }: { readonly set: string; readonly pid: number }): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id
     where e.pipeline = 'probe' and e.scope = $1 and i.state = 'claimed' and i.worker like $2`,
    [set, `${pid}@%`],
  );
  return rows[0]?.n ?? 0;
};

const STEPS = `
  select started_at as at, 1 as step from probe_executions where probe_set = any($1)
  union all select ended_at, -1 from probe_executions where probe_set = any($1) and ended_at is not null`;

/** Most executions at once over several sets; one without an end counts for ever. */
export const readMaxOverlap = async (pool: pg.Pool, sets: readonly string[]): Promise<number> => {
  const { rows } = await pool.query<{ most: number | null }>(
    `select max(running)::int as most from (select sum(step) over (order by at, step rows unbounded preceding) as running from (${STEPS}) s) o`,
    [sets],
  );
  return rows[0]?.most ?? 0;
};

/** When so many executions of a set ran at once for the first time; null if they never did. */
export const readOverlapAt = async (pool: pg.Pool, set: string, running: number): Promise<Date | null> => {
  const { rows } = await pool.query<{ at: Date | null }>(
    `select min(at) as at from (select at, sum(step) over (order by at, step rows unbounded preceding) as running from (${STEPS}) s) o
     where running >= $2`,
    [[set], running],
  );
  return rows[0]?.at ?? null;
};

/** How a set's executions lie around an instant: ends of the first one begun after it and of the last one, and the longest time without an end. */
export interface Aftermath {
  readonly firstNewEnd: Date | null;
  readonly lastEnd: Date | null;
  readonly longestGapSeconds: number;
}

/** Reads how a set went on after an instant. */
export const readAftermath = async (pool: pg.Pool, set: string, instant: Date): Promise<Aftermath> => {
  const { rows } = await pool.query<{ first: Date | null; last: Date | null; gap: number | null }>(
    `with ends as (select started_at, ended_at, ended_at - lag(ended_at) over (order by ended_at) as gap
                   from probe_executions where probe_set = $1 and succeeded)
     select min(ended_at) filter (where started_at > $2) as first, max(ended_at) as last, extract(epoch from max(gap))::float8 as gap from ends`,
    [set, instant],
  );
  const [row] = rows;
  return { firstNewEnd: row?.first ?? null, lastEnd: row?.last ?? null, longestGapSeconds: row?.gap ?? 0 };
};
