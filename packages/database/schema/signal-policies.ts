import { pgCore, sql } from '../drizzle.ts';

const { bigint, doublePrecision, index, integer, jsonb, pgTable, primaryKey, text, timestamp } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const id = (name = 'id') => bigint(name, { mode: 'bigint' });

/** What a user sees of what was really written; ids are deterministic, so that nothing is shown twice. */
export const signalReceipts = pgTable(
  'signal_receipts',
  {
    ownerId: text('owner_id').notNull(),
    id: text().notNull(),
    agentId: text('agent_id').notNull(),
    topicId: text('topic_id').notNull(),
    place: id('place').generatedAlwaysAsIdentity(),
    receipt: jsonb().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.id] }),
    index('signal_receipts_list').on(table.ownerId, table.agentId, table.topicId, table.createdAt),
  ],
);

/** Model output that was not of the agreed shape; errors are redacted. */
export const signalDiagnostics = pgTable('signal_diagnostics', {
  id: id().generatedAlwaysAsIdentity().primaryKey(),
  ownerId: text('owner_id').notNull(),
  scopeKey: text('scope_key').notNull(),
  sourceId: text('source_id').notNull(),
  stage: text().notNull(),
  reason: text().notNull(),
  error: text().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

/** Procedure state of a scope for some days: markers (`handled`, `accumulated`), scored record sets, intents. */
export const signalProcedures = pgTable(
  'signal_procedures',
  {
    ownerId: text('owner_id').notNull(),
    scopeKey: text('scope_key').notNull(),
    kind: text({ enum: ['marker', 'record', 'receipt', 'intent', 'fact'] }).notNull(),
    key: text().notNull(),
    domain: text().notNull(),
    score: doublePrecision(),
    data: jsonb().notNull().default({}),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.scopeKey, table.kind, table.domain, table.key] }),
    index('signal_procedures_expiry').on(table.expiresAt),
  ],
);

/** A skill candidate that waits for its turn to be complete, one per owner and user message. */
export const signalCandidates = pgTable(
  'signal_candidates',
  {
    ownerId: text('owner_id').notNull(),
    messageId: text('message_id').notNull(),
    state: text({ enum: ['parked', 'resuming', 'synthesised', 'expired'] }).notNull(),
    candidate: jsonb().notNull(),
    parkedAt: instant('parked_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.messageId] })],
);

/** A turn that is complete: parking that finds it resumes at once. */
export const signalTurns = pgTable(
  'signal_turns',
  {
    ownerId: text('owner_id').notNull(),
    messageId: text('message_id').notNull(),
    turn: jsonb().notNull(),
    completedAt: instant('completed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.messageId] })],
);

/** What is counted towards a reflection, one row per counted fact: totals are queries. */
export const signalCounts = pgTable(
  'signal_counts',
  {
    ownerId: text('owner_id').notNull(),
    counter: text().notNull(),
    /** User, agent and the place that is counted in. */
    subject: text().notNull(),
    sourceId: text('source_id').notNull(),
    at: instant('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.subject, table.counter, table.sourceId] }), index('signal_counts_at').on(table.at)],
);

/** Counters that have asked for a reflection. */
export const signalReflections = pgTable(
  'signal_reflections',
  {
    ownerId: text('owner_id').notNull(),
    subject: text().notNull(),
    reason: text().notNull(),
    requestedAt: instant('requested_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.subject, table.reason] })],
);

/** Reviews and declared intents: each is dispatched once, and again where its dispatch or its run failed. */
export const signalReviews = pgTable(
  'signal_reviews',
  {
    ownerId: text('owner_id').notNull(),
    sourceId: text('source_id').notNull(),
    kind: text().notNull(),
    state: text({ enum: ['active', 'done', 'open'] }).notNull(),
    operationId: text('operation_id'),
    attempts: integer().notNull().default(1),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.sourceId] }),
    index('signal_reviews_operation')
      .on(table.operationId)
      .where(sql`operation_id is not null`),
  ],
);
