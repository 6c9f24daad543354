import { seedProbe } from '../../packages/database/probe-store.ts';
import type { ProbeSeed } from '../../packages/database/probe-store.ts';
import type { Rig } from '../../packages/testing/rig.ts';

/** Seeds a set; unless told otherwise its items take no time and succeed. */
export const seedSet = ({ db }: Rig, set: string, seed: Partial<ProbeSeed> & Pick<ProbeSeed, 'items'>): Promise<void> =>
  seedProbe(db, { set, sleepMs: 0, failEvery: null, failTimes: null, ...seed });

/** Rows that a scope has in the run table. */
export const countRuns = async ({ pool }: Rig, scope: string): Promise<number> => {
  const { rows } = await pool.query<{ runs: number }>('select count(*)::int as runs from pipeline_runs where scope = $1', [scope]);
  return rows[0]?.runs ?? 0;
};

/** Rows of every kind that a run could have written. */
export const countRows = async ({ pool }: Rig): Promise<number> => {
  const { rows } = await pool.query<{ found: number }>(
    'select ((select count(*) from pipeline_runs) + (select count(*) from pipeline_epochs) + (select count(*) from pipeline_items))::int as found',
  );
  return rows[0]?.found ?? 0;
};
