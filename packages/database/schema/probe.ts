import { pgCore } from '../drizzle.ts';

const { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

/** Seeded items of the built-in probe pipeline and how each is to behave. */
export const probeItems = pgTable(
  'probe_items',
  {
    probeSet: text('probe_set').notNull(),
    seq: integer().notNull(),
    itemId: text('item_id').notNull(),
    sleepMs: integer('sleep_ms').notNull().default(0),
    failTimes: integer('fail_times').notNull().default(0),
    counter: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.probeSet, table.itemId] }), index('probe_items_order').on(table.probeSet, table.seq, table.itemId)],
);

/** Every execution of a probe item: its claim token, start and end on the database clock. */
export const probeExecutions = pgTable(
  'probe_executions',
  {
    id: bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity().primaryKey(),
    probeSet: text('probe_set').notNull(),
    itemId: text('item_id').notNull(),
    runId: bigint('run_id', { mode: 'bigint' }).notNull(),
    attempt: integer().notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
    succeeded: boolean().notNull().default(false),
  },
  (table) => [index('probe_executions_set').on(table.probeSet, table.itemId)],
);
