import { sql } from './drizzle.ts';
import type { EvalCase } from '../contracts/eval-case.ts';
import type { EvalRunConfig, EvalRunStatus, TargetConfig } from '../contracts/eval-run.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { readRows } from './database.ts';
import type { Executor } from './database.ts';
import type { KeysetSource } from './eligible.ts';
import { trajectoryJson } from './eval-trajectories.ts';

/** A run as its row has it; times are ISO text. */
export type EvalRunRow = {
  readonly id: string;
  readonly userId: string;
  readonly benchmark: string;
  readonly bound: number;
  readonly target: TargetConfig;
  readonly config: EvalRunConfig;
  readonly status: EvalRunStatus;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
};

const iso = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

const RUN_COLUMNS = sql`r.id, r.user_id as "userId", b.name as benchmark, r.bound, r.target, r.config, r.status,
  ${iso('r.created_at')} as "createdAt", ${iso('r.started_at')} as "startedAt", ${iso('r.finished_at')} as "finishedAt"`;

type CreateEvalRun = Pick<EvalRunRow, 'id' | 'userId' | 'benchmark' | 'target' | 'config'>;

/** Creates an idle run whose selection is fixed now; `missing` without such a benchmark, `taken` if the id is in use. */
export async function createEvalRun(executor: Executor, run: CreateEvalRun): Promise<'created' | 'missing' | 'taken'> {
  // The share lock waits for an import in progress, so that the bound is never that of replaced cases.
  const [answer] = await readRows<{ found: boolean; created: boolean }>(
    executor,
    sql`with chosen as (select id, last_seq from eval_benchmarks where name = ${run.benchmark} for share),
        made as (
          insert into eval_runs (id, user_id, benchmark_id, bound, target, config)
          select ${run.id}, ${run.userId}, id, last_seq, ${JSON.stringify(run.target)}::jsonb, ${JSON.stringify(run.config)}::jsonb from chosen
          on conflict (id) do nothing returning id)
        select exists (select 1 from chosen) as found, exists (select 1 from made) as created`,
  );
  if (answer?.created === true) return 'created';
  return answer?.found === true ? 'taken' : 'missing';
}

/** The run of an id, or null. */
export async function findEvalRun(executor: Executor, id: string): Promise<EvalRunRow | null> {
  const statement = sql`select ${RUN_COLUMNS} from eval_runs r join eval_benchmarks b on b.id = r.benchmark_id where r.id = ${id}`;
  const [row] = await readRows<EvalRunRow>(executor, statement);
  return row ?? null;
}

/** The newest runs, of one benchmark or of all. */
export function listEvalRuns(
  executor: Executor,
  { benchmark, limit }: { readonly benchmark?: string; readonly limit: number },
): Promise<EvalRunRow[]> {
  const chosen = benchmark === undefined ? sql`true` : sql`b.name = ${benchmark}`;
  return readRows<EvalRunRow>(
    executor,
    sql`select ${RUN_COLUMNS} from eval_runs r join eval_benchmarks b on b.id = r.benchmark_id
        where ${chosen} order by r.created_at desc, r.id limit ${limit}`,
  );
}

/**
 * Moves a run to a status if it is in one of `from`; false if it is not. `running` keeps the first start and clears the
 * end; an ended status stamps the end.
 */
export async function moveEvalRun(
  executor: Executor,
  { id, from, to }: { readonly id: string; readonly from: readonly EvalRunStatus[]; readonly to: EvalRunStatus },
): Promise<boolean> {
  const isEnded = to === 'completed' || to === 'failed' || to === 'aborted' || to === 'external';
  const rows = await readRows<{ id: string }>(
    executor,
    sql`update eval_runs set status = ${to},
          started_at = case when ${to === 'running'} then coalesce(started_at, now()) else started_at end,
          finished_at = case when ${isEnded} then now() end
        where id = ${id} and status = any(${sql.param([...from])}::text[]) returning id`,
  );
  return rows.length > 0;
}

/** The cases of a run for the pages of its pipeline: in the order of their seq, up to the run's bound. */
export const evalCaseSource = (runId: string): KeysetSource => ({
  query: sql`select c.case_id as item_id, c.seq as sort_key from eval_runs r
    join eval_cases c on c.benchmark_id = r.benchmark_id and c.seq <= r.bound where r.id = ${runId}`,
  sortType: 'integer',
});

/** All that the execution of one claimed case needs. */
type CaseWork = {
  readonly case: EvalCase;
  readonly target: TargetConfig;
  readonly config: EvalRunConfig;
  /** Failed runs of this case so far: a redrive begins a new round, an attempt does not. */
  readonly round: number;
  readonly stored: readonly Trajectory[];
};

/** Loads the work of a case of a run under its ledger row; null when either is gone. */
export async function loadCaseWork(
  executor: Executor,
  { runId, caseId, itemRow }: { readonly runId: string; readonly caseId: string; readonly itemRow: string },
): Promise<CaseWork | null> {
  type Row = Omit<EvalCase, 'id'> & Omit<CaseWork, 'case'>;
  const [row] = await readRows<Row>(
    executor,
    sql`select c.input, c.assertions, c.metadata, r.target, r.config, i.failed_runs as round,
          (select coalesce(json_agg(${trajectoryJson} order by t.k_index), '[]') from eval_trajectories t
           where t.item_row = i.id and t.round = i.failed_runs) as stored
        from eval_runs r join eval_cases c on c.benchmark_id = r.benchmark_id and c.case_id = ${caseId} and c.seq <= r.bound
        join pipeline_items i on i.id = ${itemRow}::bigint and i.item_id = c.case_id
        where r.id = ${runId}`,
  );
  if (row === undefined) return null;
  const { input, assertions, metadata, ...work } = row;
  return { case: { id: caseId, input, assertions, metadata }, ...work };
}
