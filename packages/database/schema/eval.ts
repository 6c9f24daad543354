import { pgCore, sql } from '../drizzle.ts';
import type { Assertion, EvalMessage, JsonValue } from '../../contracts/eval-case.ts';
import { EVAL_RUN_STATUSES } from '../../contracts/eval-run.ts';
import type { EvalRunConfig, TargetConfig } from '../../contracts/eval-run.ts';
import type { Grade } from '../../contracts/trajectory.ts';
import { pipelineItems } from './pipeline.ts';

const { bigint, boolean, check, doublePrecision, foreignKey, index, integer, jsonb, pgTable, pgView, primaryKey, text, timestamp, unique } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const id = (name = 'id') => bigint(name, { mode: 'bigint' });

/** A named set of cases; `last_seq` is the greatest number given out. */
export const evalBenchmarks = pgTable(
  'eval_benchmarks',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    name: text().notNull().unique(),
    lastSeq: integer('last_seq').notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [check('eval_benchmarks_name_not_blank', sql`btrim(${table.name}) <> ''`)],
);

/** The cases of a benchmark in the order of their files; never changed, only replaced as a whole while no run needs them. */
export const evalCases = pgTable(
  'eval_cases',
  {
    benchmarkId: id('benchmark_id')
      .notNull()
      .references(() => evalBenchmarks.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    caseId: text('case_id').notNull(),
    input: jsonb().$type<readonly EvalMessage[]>().notNull(),
    assertions: jsonb().$type<readonly Assertion[]>().notNull(),
    metadata: jsonb().$type<Readonly<Record<string, JsonValue>>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.benchmarkId, table.seq] }),
    unique('eval_cases_id').on(table.benchmarkId, table.caseId),
    check('eval_cases_id_not_blank', sql`btrim(${table.caseId}) <> ''`),
  ],
);

/** One run of a benchmark against a target. `bound` is the greatest seq at its creation: cases added later are not its own. */
export const evalRuns = pgTable(
  'eval_runs',
  {
    id: text().primaryKey(),
    userId: text('user_id').notNull(),
    benchmarkId: id('benchmark_id')
      .notNull()
      .references(() => evalBenchmarks.id),
    bound: integer().notNull(),
    target: jsonb().$type<TargetConfig>().notNull(),
    config: jsonb().$type<EvalRunConfig>().notNull(),
    status: text({ enum: EVAL_RUN_STATUSES }).notNull().default('idle'),
    createdAt: instant('created_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    index('eval_runs_benchmark').on(table.benchmarkId),
    check('eval_runs_id_not_blank', sql`btrim(${table.id}) <> ''`),
    check('eval_runs_user_not_blank', sql`btrim(${table.userId}) <> ''`),
  ],
);

/** What a target answered, one row per ledger row, round and place among the k; it goes when its ledger row goes. */
export const evalTrajectories = pgTable(
  'eval_trajectories',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    itemRow: id('item_row').notNull(),
    round: integer().notNull(),
    kIndex: integer('k_index').notNull(),
    output: text(),
    latencyMs: doublePrecision('latency_ms'),
    costUsd: doublePrecision('cost_usd'),
    tokens: doublePrecision(),
    steps: doublePrecision(),
    calls: doublePrecision(),
    toolCalls: doublePrecision('tool_calls'),
    score: doublePrecision(),
    passed: boolean(),
    grading: jsonb().$type<readonly Grade[]>(),
    errorType: text('error_type'),
    error: text(),
    savedAt: instant('saved_at').notNull().defaultNow(),
  },
  (table) => [
    unique('eval_trajectories_place').on(table.itemRow, table.round, table.kIndex),
    foreignKey({ name: 'eval_trajectories_item', columns: [table.itemRow], foreignColumns: [pipelineItems.id] }).onDelete('cascade'),
  ],
);

/**
 * What became of each case, one row per ledger row: for people who look with SQL. It is the ledger itself (one table, no join),
 * so deleting a row here deletes the result, and the case is pending again.
 */
export const evalResults = pgView('eval_results', {
  id: id(),
  runId: text('run_id'),
  caseId: text('case_id'),
  state: text(),
  score: doublePrecision(),
  latencyMs: doublePrecision('latency_ms'),
  costUsd: doublePrecision('cost_usd'),
  tokens: doublePrecision(),
  output: text(),
  error: text(),
  finishedAt: instant('finished_at'),
}).as(sql`
  select i.id, (select e.scope from pipeline_epochs e where e.id = i.epoch_id) as run_id, i.item_id as case_id,
    case i.state when 'open' then 'pending' when 'claimed' then 'running'
      when 'failed' then case when i.error_type = 'ItemTimeout' then 'timeout' else 'error' end
      else coalesce(i.result->>'status', 'completed') end as state,
    (i.result->>'score')::float8 as score, (i.result->>'latencyMs')::float8 as latency_ms, (i.result->>'costUsd')::float8 as cost_usd,
    (i.result->>'tokens')::float8 as tokens, i.result->>'output' as output, i.error, i.finished_at
  from pipeline_items i where i.epoch_id in (select e.id from pipeline_epochs e where e.pipeline = 'agentEvalRun')`);
