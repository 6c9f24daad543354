import { sql } from './drizzle.ts';
import type { CaseRow } from '../contracts/eval-result.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { readRows } from './database.ts';
import type { Executor } from './database.ts';

/** A trajectory `t` as JSON of its contract type; what was not told is left out. */
export const trajectoryJson = sql.raw(`json_strip_nulls(json_build_object('round', t.round, 'k', t.k_index, 'output', t.output,
  'latencyMs', t.latency_ms, 'costUsd', t.cost_usd, 'tokens', t.tokens, 'steps', t.steps, 'calls', t.calls,
  'toolCalls', t.tool_calls, 'score', t.score, 'passed', t.passed, 'grading', t.grading,
  'error', case when t.error_type is not null then json_build_object('type', t.error_type, 'message', t.error) end))`);

export type SaveTrajectory = { readonly itemRow: string; readonly token: number; readonly trajectory: Trajectory };

/** Writes a trajectory over its former version, as long as the claim's token still holds; false if it does not. */
export async function saveTrajectory(executor: Executor, { itemRow, token, trajectory: t }: SaveTrajectory): Promise<boolean> {
  const grading = t.grading === undefined ? null : JSON.stringify(t.grading);
  const rows = await readRows<{ id: string }>(
    executor,
    sql`insert into eval_trajectories (item_row, round, k_index, output, latency_ms, cost_usd, tokens, steps, calls, tool_calls,
          score, passed, grading, error_type, error)
        select i.id, ${t.round}::int, ${t.k}::int, ${t.output ?? null}, ${t.latencyMs ?? null}::float8, ${t.costUsd ?? null}::float8, ${t.tokens ?? null}::float8,
          ${t.steps ?? null}::float8, ${t.calls ?? null}::float8, ${t.toolCalls ?? null}::float8, ${t.score ?? null}::float8,
          ${t.passed ?? null}::boolean, ${grading}::jsonb, ${t.error?.type ?? null}, ${t.error?.message ?? null}
        from pipeline_items i where i.id = ${itemRow}::bigint and i.token = ${token} and i.state = 'claimed' for share
        on conflict (item_row, round, k_index) do update set output = excluded.output, latency_ms = excluded.latency_ms,
          cost_usd = excluded.cost_usd, tokens = excluded.tokens, steps = excluded.steps, calls = excluded.calls,
          tool_calls = excluded.tool_calls, score = excluded.score, passed = excluded.passed, grading = excluded.grading,
          error_type = excluded.error_type, error = excluded.error, saved_at = now()
        returning id::text`,
  );
  return rows.length > 0;
}

const PAGE = 1_000;

/** The cases of a run in order of seq with what became of them, page by page: of several epochs the last one that has the case. */
export async function* readCaseRows(executor: Executor, runId: string): AsyncGenerator<CaseRow> {
  let after = 0;
  for (;;) {
    const rows = await readRows<CaseRow>(executor, selectPage(runId, after));
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.seq;
  }
}

const selectPage = (runId: string, after: number) => sql`
  select c.seq, c.case_id as "caseId", c.input, c.assertions, c.metadata, i.state, i.error_type as "errorType", i.error, i.result,
    (extract(epoch from i.finished_at - i.claimed_at) * 1000)::float8 as "elapsedMs",
    coalesce((select json_agg(${trajectoryJson} order by t.k_index) from eval_trajectories t where i.state = 'failed' and t.item_row = i.id
      and t.round = (select max(newest.round) from eval_trajectories newest where newest.item_row = i.id)), '[]') as trajectories
  from eval_runs r
  join eval_cases c on c.benchmark_id = r.benchmark_id and c.seq <= r.bound
  left join lateral (
    select p.* from pipeline_epochs e join pipeline_items p on p.epoch_id = e.id and p.item_id = c.case_id
    where e.pipeline = 'agentEvalRun' and e.scope = r.id order by e.epoch desc limit 1) i on true
  where r.id = ${runId} and c.seq > ${after} order by c.seq limit ${PAGE}`;
