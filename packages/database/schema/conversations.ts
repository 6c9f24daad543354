import { pgCore } from '../drizzle.ts';

const { index, jsonb, pgTable, text, timestamp } = pgCore;

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

/** Messages of conversations: what the text, topic and scope of a hydrated event come from. */
export const chatMessages = pgTable(
  'chat_messages',
  {
    id: text().primaryKey(),
    userId: text('user_id').notNull(),
    workspaceId: text('workspace_id'),
    agentId: text('agent_id'),
    topicId: text('topic_id'),
    threadId: text('thread_id'),
    parentId: text('parent_id'),
    role: text({ enum: ['user', 'assistant', 'tool'] }).notNull(),
    content: text().notNull(),
    /** Tool and document receipts of the turn. */
    metadata: jsonb(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('chat_messages_topic').on(table.topicId, table.createdAt),
    index('chat_messages_user').on(table.userId, table.createdAt),
    index('chat_messages_parent').on(table.parentId),
  ],
);

/** Threads under an anchor message, one per run of ours. */
export const chatThreads = pgTable('chat_threads', {
  id: text().primaryKey(),
  anchorMessageId: text('anchor_message_id').notNull(),
  topicId: text('topic_id'),
  userId: text('user_id').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});
