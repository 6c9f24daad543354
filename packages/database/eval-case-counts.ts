import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRow } from './database.ts';

/** How many cases a run selected and how many of them are error or time-out now. */
export const countFailedCases = (executor: Executor, runId: string): Promise<{ readonly failed: number; readonly total: number }> =>
  readRow(
    executor,
    sql`select
      (select count(*)::int from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id
       where e.pipeline = 'agentEvalRun' and e.scope = ${runId} and i.state = 'failed') as failed,
      (select count(*)::int from eval_cases c where c.benchmark_id = r.benchmark_id and c.seq <= r.bound) as total
      from eval_runs r where r.id = ${runId}`,
  );
