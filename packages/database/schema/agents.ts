import { pgCore } from '../drizzle.ts';

const { boolean, index, pgTable, primaryKey, text, timestamp } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

/** Agents of a product and their switches; one without a row is usable by everybody. */
export const agents = pgTable(
  'agents',
  {
    id: text().primaryKey(),
    userId: text('user_id').notNull(),
    workspaceId: text('workspace_id'),
    isPrivate: boolean('is_private').notNull().default(false),
    isInbox: boolean('is_inbox').notNull().default(false),
    isVirtual: boolean('is_virtual').notNull().default(false),
    /** Switch `selfIteration.enabled`; the inbox is always on. */
    selfIteration: boolean('self_iteration').notNull().default(false),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('agents_user').on(table.userId)],
);

/** What the product knows of a user. */
export const userProfiles = pgTable('user_profiles', {
  userId: text('user_id').primaryKey(),
  /** IANA name. */
  timezone: text().notNull(),
});

/** Feature flags of users. */
export const userFlags = pgTable(
  'user_flags',
  {
    userId: text('user_id').notNull(),
    flag: text().notNull(),
    isOn: boolean('is_on').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.flag] })],
);
