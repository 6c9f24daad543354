import { pgCore, sql } from '../drizzle.ts';

const { bigint, boolean, check, doublePrecision, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, timestamp, unique } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const id = (name = 'id') => bigint(name, { mode: 'bigint' });

/** One row per owner and scope key: the order of its events, its wake-up, its consumer. */
export const signalScopes = pgTable(
  'signal_scopes',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    ownerId: text('owner_id').notNull(),
    scopeKey: text('scope_key').notNull(),
    /** Place of the last accepted event. */
    seq: id('seq').notNull(),
    /** A wake sent since and not yet consumed. */
    wakeAt: instant('wake_at'),
    /** Token bucket of the accepted events. */
    tokens: doublePrecision().notNull(),
    tokensAt: instant('tokens_at').notNull().defaultNow(),
    runId: text('run_id'),
    buildId: text('build_id'),
    claimedAt: instant('claimed_at'),
    /** A caller that executes an event itself. */
    leaseToken: text('lease_token'),
    leaseUntil: instant('lease_until'),
    restartedAt: instant('restarted_at'),
  },
  (table) => [
    unique('signal_scopes_identity').on(table.ownerId, table.scopeKey),
    check('signal_scopes_not_blank', sql`btrim(${table.ownerId}) <> '' and btrim(${table.scopeKey}) <> ''`),
  ],
);

/** The inbox: one row per scope and source identity, for ever; payloads of ended rows are emptied after 30 days. */
export const signalEvents = pgTable(
  'signal_events',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    scopeId: id('scope_id').notNull(),
    seq: id('seq').notNull(),
    sourceType: text('source_type').notNull(),
    sourceId: text('source_id').notNull(),
    state: text({ enum: ['pending', 'processing', 'waiting', 'done', 'failed'] }).notNull(),
    payload: jsonb(),
    context: jsonb().notNull(),
    cause: jsonb(),
    /** Fencing token: one more with each claim. */
    token: integer().notNull().default(0),
    runId: text('run_id'),
    /** Runs that ended while they held it. */
    deaths: integer().notNull().default(0),
    reopens: integer().notNull().default(0),
    pauses: integer().notNull().default(0),
    /** Timer under which it is claimed; null: it is run from its source. */
    timerId: id('timer_id'),
    outcome: text(),
    reason: text(),
    awaitedUntil: instant('awaited_until'),
    acceptedAt: instant('accepted_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    unique('signal_events_identity').on(table.scopeId, table.sourceType, table.sourceId),
    foreignKey({ name: 'signal_events_scope', columns: [table.scopeId], foreignColumns: [signalScopes.id] }),
    index('signal_events_queue')
      .on(table.scopeId, table.seq)
      .where(sql`state in ('pending', 'processing')`),
    index('signal_events_accepted').on(table.scopeId, table.acceptedAt),
  ],
);

/** Signals and actions of an event; its source is the event itself. */
export const signalNodes = pgTable(
  'signal_nodes',
  {
    eventId: id('event_id').notNull(),
    nodeId: text('node_id').notNull(),
    place: id('place').generatedAlwaysAsIdentity(),
    kind: text({ enum: ['signal', 'action'] }).notNull(),
    type: text().notNull(),
    depth: integer().notNull(),
    parentId: text('parent_id'),
    node: jsonb().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.nodeId] }),
    foreignKey({ name: 'signal_nodes_event', columns: [table.eventId], foreignColumns: [signalEvents.id] }).onDelete('cascade'),
  ],
);

/** What each handler answered for each node: a second try asks nobody who has answered. */
export const signalResults = pgTable(
  'signal_results',
  {
    eventId: id('event_id').notNull(),
    nodeId: text('node_id').notNull(),
    handlerId: text('handler_id').notNull(),
    place: id('place').generatedAlwaysAsIdentity(),
    /** Answer for the scheduler. */
    answer: jsonb().notNull(),
    /** What the handler returned. */
    result: jsonb(),
    attempt: integer().notNull(),
    startedAt: instant('started_at').notNull(),
    completedAt: instant('completed_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.nodeId, table.handlerId] }),
    foreignKey({ name: 'signal_results_event', columns: [table.eventId], foreignColumns: [signalEvents.id] }).onDelete('cascade'),
  ],
);

/** One row per owner and idempotency key of an action. */
export const signalActions = pgTable(
  'signal_actions',
  {
    ownerId: text('owner_id').notNull(),
    key: text().notNull(),
    state: text({ enum: ['reserved', 'applied', 'skipped', 'failed'] }).notNull(),
    /** One more each time a failure opens the row. */
    epoch: integer().notNull().default(1),
    eventId: id('event_id').notNull(),
    nodeId: text('node_id').notNull(),
    operationId: text('operation_id'),
    detail: text(),
    reservedAt: instant('reserved_at').notNull().defaultNow(),
    settledAt: instant('settled_at'),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.key] }), index('signal_actions_operation').on(table.operationId)],
);

/** What an event waits for: a lane's quiet, a scheduled hop, a pause that a provider asked for. */
export const signalTimers = pgTable(
  'signal_timers',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    scopeId: id('scope_id').notNull(),
    eventId: id('event_id').notNull(),
    kind: text({ enum: ['wait', 'schedule', 'pause'] }).notNull(),
    /** Lane, schedule key, or handler and node of a pause. */
    key: text().notNull(),
    nodeId: text('node_id').notNull(),
    /** Handler to be called again; null: all handlers of the node. */
    handlerId: text('handler_id'),
    /** False: ends when due, `timed_out`, unless the lane goes on before. */
    isDelayed: boolean('is_delayed').notNull().default(true),
    dueAt: instant('due_at').notNull(),
    state: text({ enum: ['open', 'fired', 'superseded'] })
      .notNull()
      .default('open'),
  },
  (table) => [
    unique('signal_timers_identity').on(table.eventId, table.kind, table.key),
    foreignKey({ name: 'signal_timers_event', columns: [table.eventId], foreignColumns: [signalEvents.id] }).onDelete('cascade'),
    index('signal_timers_due')
      .on(table.scopeId, table.dueAt)
      .where(sql`state = 'open'`),
  ],
);
