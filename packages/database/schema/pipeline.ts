import { pgCore, sql } from '../drizzle.ts';

const { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, timestamp, unique, uniqueIndex } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const id = (name = 'id') => bigint(name, { mode: 'bigint' });

/** One row per pipeline, scope and epoch; the greatest epoch is the current one. */
export const pipelineEpochs = pgTable(
  'pipeline_epochs',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    pipeline: text().notNull(),
    scope: text().notNull(),
    epoch: integer().notNull(),
    openedAt: instant('opened_at').notNull().defaultNow(),
  },
  (table) => [
    unique('pipeline_epochs_identity').on(table.pipeline, table.scope, table.epoch),
    check('pipeline_epochs_scope_not_blank', sql`btrim(${table.scope}) <> ''`),
  ],
);

/** One row per run; a row without `finished_at` is the scope's active run, at most one of them. */
export const pipelineRuns = pgTable(
  'pipeline_runs',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    epochId: id('epoch_id')
      .notNull()
      .references(() => pipelineEpochs.id),
    pipeline: text().notNull(),
    scope: text().notNull(),
    runNo: integer('run_no').notNull(),
    workflowId: text('workflow_id').notNull(),
    firstRunId: text('first_run_id').notNull(),
    requestId: text('request_id').notNull(),
    input: jsonb().notNull(),
    upperBound: text('upper_bound'),
    totalEligible: integer('total_eligible').notNull(),
    toProcess: integer('to_process').notNull(),
    alreadyProcessed: integer('already_processed').notNull(),
    deferred: integer().notNull(),
    notEligible: integer('not_eligible').notNull(),
    maxFailures: integer('max_failures'),
    failed: integer().notNull().default(0),
    succeeded: integer().notNull().default(0),
    skipped: integer().notNull().default(0),
    interrupted: integer().notNull().default(0),
    pages: integer().notNull().default(0),
    chunks: integer().notNull().default(0),
    direct: integer().notNull().default(0),
    abortRequestedAt: instant('abort_requested_at'),
    abortReason: text('abort_reason'),
    outcome: text(),
    message: text(),
    startedAt: instant('started_at').notNull().defaultNow(),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    uniqueIndex('pipeline_runs_one_active')
      .on(table.pipeline, table.scope)
      .where(sql`finished_at is null`),
    unique('pipeline_runs_number').on(table.pipeline, table.scope, table.runNo),
    index('pipeline_runs_workflow').on(table.workflowId),
    check('pipeline_runs_scope_not_blank', sql`btrim(${table.scope}) <> ''`),
  ],
);

/** The ledger: one row per item of an epoch, the only truth of what became of it. */
export const pipelineItems = pgTable(
  'pipeline_items',
  {
    id: id().generatedAlwaysAsIdentity().unique(),
    epochId: id('epoch_id')
      .notNull()
      .references(() => pipelineEpochs.id, { onDelete: 'cascade' }),
    itemId: text('item_id').notNull(),
    state: text({ enum: ['open', 'claimed', 'done', 'failed', 'skipped'] }).notNull(),
    runId: id('run_id').notNull(),
    token: integer().notNull().default(1),
    attempts: integer().notNull().default(1),
    failedRuns: integer('failed_runs').notNull().default(0),
    freeWaits: integer('free_waits').notNull().default(0),
    workflowId: text('workflow_id').notNull(),
    activityId: text('activity_id').notNull(),
    worker: text().notNull(),
    claimedAt: instant('claimed_at').notNull().defaultNow(),
    finishedAt: instant('finished_at'),
    errorType: text('error_type'),
    error: text(),
    result: jsonb(),
    resultHash: text('result_hash'),
  },
  (table) => [
    primaryKey({ columns: [table.epochId, table.itemId] }),
    index('pipeline_items_run').on(table.runId, table.state),
    index('pipeline_items_failed')
      .on(table.epochId, table.itemId)
      .where(sql`state = 'failed'`),
    check('pipeline_items_item_not_blank', sql`btrim(${table.itemId}) <> ''`),
  ],
);

/**
 * One row per worker process that has neither given up its lease nor been reaped. While the lease holds, the process's claims are not taken over;
 * once it has lapsed, a survivor whose own `judges_at` has passed takes the row over for a while and removes it when the dead one's activities are failed.
 */
export const workerLeases = pgTable('worker_leases', {
  identity: text().primaryKey(),
  taskQueues: text('task_queues').array().notNull(),
  renewedAt: instant('renewed_at').notNull(),
  leaseUntil: instant('lease_until').notNull(),
  judgesAt: instant('judges_at').notNull(),
  reapedBy: text('reaped_by'),
  reapedUntil: instant('reaped_until'),
});
