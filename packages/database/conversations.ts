import { isoText, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** A message of a conversation. */
export interface ChatMessage {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly topicId: string | null;
  readonly threadId: string | null;
  readonly parentId: string | null;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
}

const columns = sql`m.id, m.user_id as "userId", m.agent_id as "agentId", m.topic_id as "topicId", m.thread_id as "threadId", m.parent_id as "parentId", m.role,
  m.content, m.metadata, ${isoText(sql`m.created_at`)} as "createdAt"`;

/** A user's own message; undefined: there is none of that id. */
export const findMessage = async (
  executor: Executor,
  { id, userId }: { readonly id: string; readonly userId: string },
): Promise<ChatMessage | undefined> =>
  (await readRows<ChatMessage>(executor, sql`select ${columns} from chat_messages m where m.id = ${id} and m.user_id = ${userId}`))[0];

const MOST_PARENTS = 60;

/** A message and its parents up to the nearest user message, nearest first; a cycle ends it. */
export const readTurn = (executor: Executor, { id, userId }: { readonly id: string; readonly userId: string }): Promise<readonly ChatMessage[]> =>
  readRows<ChatMessage>(
    executor,
    sql`
    with recursive up as (
      select m.*, 1 as step, array[m.id] as seen from chat_messages m where m.id = ${id} and m.user_id = ${userId}
      union all
      select p.*, up.step + 1, up.seen || p.id from up join chat_messages p on p.id = up.parent_id and p.user_id = up.user_id
      where up.role <> 'user' and up.step < ${MOST_PARENTS} and p.id <> all(up.seen)
    )
    select ${columns} from up m order by m.step`,
  );

/** The last messages of a topic up to one of them (of its thread, where it has one), oldest first. */
export const readRecentMessages = async (
  executor: Executor,
  { anchor, limit }: { readonly anchor: ChatMessage; readonly limit: number },
): Promise<readonly ChatMessage[]> => {
  if (anchor.topicId === null) return [anchor];
  const rows = await readRows<ChatMessage>(
    executor,
    sql`select ${columns} from chat_messages m
        where m.topic_id = ${anchor.topicId} and m.user_id = ${anchor.userId} and (${anchor.threadId}::text is null or m.thread_id = ${anchor.threadId})
          and (m.created_at, m.id) <= (select created_at, id from chat_messages where id = ${anchor.id})
        order by m.created_at desc, m.id desc limit ${limit}`,
  );
  return rows.toReversed();
};

/** Stores a message; one that is there stays as it is. */
export const storeMessage = async (executor: Executor, message: Omit<ChatMessage, 'createdAt'>): Promise<void> => {
  const { id, userId, agentId, topicId, threadId, parentId, role, content, metadata } = message;
  await executor.execute(sql`
    insert into chat_messages (id, user_id, agent_id, topic_id, thread_id, parent_id, role, content, metadata, created_at)
    values (${id}, ${userId}, ${agentId}, ${topicId}, ${threadId}, ${parentId}, ${role}, ${content}, ${JSON.stringify(metadata)}::jsonb, clock_timestamp())
    on conflict (id) do nothing`);
};

/** Opens the thread of a run under its anchor message; null where there is no such message of the user. */
export const openThread = async (
  executor: Executor,
  { threadId, anchorMessageId, userId }: { readonly threadId: string; readonly anchorMessageId: string; readonly userId: string },
): Promise<string | null> => {
  const rows = await readRows<{ id: string }>(
    executor,
    sql`insert into chat_threads (id, anchor_message_id, topic_id, user_id)
        select ${threadId}, m.id, m.topic_id, m.user_id from chat_messages m where m.id = ${anchorMessageId} and m.user_id = ${userId}
        on conflict (id) do update set anchor_message_id = excluded.anchor_message_id returning id`,
  );
  return rows[0]?.id ?? null;
};
