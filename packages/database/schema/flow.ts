import { pgCore } from '../drizzle.ts';

const { boolean, integer, pgTable, primaryKey, text, timestamp } = pgCore;

/**
 * Limits of keys by order: an operator's row wins over that of the deployment whose version is current. A row without numbers says nothing of the
 * limit, only whether the key is paused.
 */
export const flowSettings = pgTable(
  'flow_settings',
  {
    key: text().notNull(),
    source: text({ enum: ['operator', 'deployment'] }).notNull(),
    parallelism: integer(),
    ratePerSecond: integer('rate_per_second'),
    isUnlimited: boolean('is_unlimited').notNull().default(false),
    isPaused: boolean('is_paused').notNull().default(false),
    buildId: text('build_id'),
    updatedAt: timestamp('updated_at', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.key, table.source] })],
);
