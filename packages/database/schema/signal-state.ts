import { pgCore } from '../drizzle.ts';

const { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const id = (name = 'id') => bigint(name, { mode: 'bigint' });

/** State of guards, and of whatever else policies keep per scope for a time. */
export const signalGuards = pgTable(
  'signal_guards',
  {
    scopeId: id('scope_id').notNull(),
    key: text().notNull(),
    state: jsonb().notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.key] }), index('signal_guards_expiry').on(table.expiresAt)],
);

/** What came by signal and was no event. */
export const signalRejections = pgTable(
  'signal_rejections',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    ownerId: text('owner_id').notNull(),
    scopeKey: text('scope_key').notNull(),
    /** Run and place in it, so that a repeated activity stores nothing twice. */
    runId: text('run_id').notNull(),
    place: integer().notNull(),
    reason: text().notNull(),
    path: text().notNull(),
    excerpt: text().notNull(),
    rejectedAt: instant('rejected_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('signal_rejections_place').on(table.ownerId, table.scopeKey, table.runId, table.place),
    index('signal_rejections_age').on(table.rejectedAt),
  ],
);

/** What the `probe` policy wrote: one row per action. */
export const signalProbes = pgTable(
  'signal_probes',
  {
    ownerId: text('owner_id').notNull(),
    key: text().notNull(),
    eventId: id('event_id').notNull(),
    writtenAt: instant('written_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.key] })],
);
