import { pgCore } from '../drizzle.ts';

const { bigint, boolean, index, jsonb, pgTable, text, timestamp, unique } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });
const id = (name = 'id') => bigint(name, { mode: 'bigint' });

/** What an agent remembers of a user. */
export const userMemories = pgTable(
  'user_memories',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    ownerId: text('owner_id').notNull(),
    userId: text('user_id').notNull(),
    agentId: text('agent_id').notNull(),
    layer: text().notNull().default('preference'),
    title: text().notNull(),
    content: text().notNull(),
    operationId: text('operation_id'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('user_memories_agent').on(table.ownerId, table.agentId, table.createdAt)],
);

/** What an agent knows how to do: one document per name, with its former contents. */
export const agentSkills = pgTable(
  'agent_skills',
  {
    documentId: id('document_id').generatedAlwaysAsIdentity().primaryKey(),
    ownerId: text('owner_id').notNull(),
    agentId: text('agent_id').notNull(),
    name: text().notNull(),
    content: text().notNull(),
    isManaged: boolean('is_managed').notNull().default(true),
    history: jsonb().notNull().default([]),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [unique('agent_skills_name').on(table.ownerId, table.agentId, table.name)],
);

/** Proposals of reviews, one pending per subject. */
export const reviewProposals = pgTable(
  'review_proposals',
  {
    id: id().generatedAlwaysAsIdentity().primaryKey(),
    ownerId: text('owner_id').notNull(),
    /** `<agent>:<action>:<targetType>:<targetId>`. */
    subject: text().notNull(),
    summary: text().notNull(),
    evidence: jsonb().notNull(),
    state: text({ enum: ['pending', 'superseded', 'closed'] })
      .notNull()
      .default('pending'),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [unique('review_proposals_subject').on(table.ownerId, table.subject, table.state)],
);
