import { readRow, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** Takes a review for dispatch: one that is active or done is taken already. */
export const takeReview = async (
  executor: Executor,
  { ownerId, sourceId, kind }: { readonly ownerId: string; readonly sourceId: string; readonly kind: string },
): Promise<boolean> =>
  (
    await readRows(
      executor,
      sql`insert into signal_reviews as r (owner_id, source_id, kind, state) values (${ownerId}, ${sourceId}, ${kind}, 'active')
          on conflict (owner_id, source_id) do update set state = 'active', attempts = r.attempts + 1, updated_at = now() where r.state = 'open' returning 1`,
    )
  ).length > 0;

/** A review whose dispatch failed may be dispatched again. */
export const openReview = async (
  executor: Executor,
  { ownerId, sourceId }: { readonly ownerId: string; readonly sourceId: string },
): Promise<void> => {
  await executor.execute(
    sql`update signal_reviews set state = 'open', updated_at = now() where owner_id = ${ownerId} and source_id = ${sourceId} and state = 'active'`,
  );
};

/** Declared intents of an operation, else of a topic in the last day. */
export const countDeclaredIntents = async (
  executor: Executor,
  { ownerId, operationId, topicId }: { readonly ownerId: string; readonly operationId?: string | undefined; readonly topicId?: string | undefined },
): Promise<number> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`select count(*)::int as count from signal_events e join signal_scopes s on s.id = e.scope_id
          where s.owner_id = ${ownerId} and e.source_type = 'agent.self_feedback_intent.declared' and case
            when ${operationId ?? null}::text is not null then e.payload->>'operationId' = ${operationId ?? null}
            else e.payload->>'topicId' = ${topicId ?? null} and e.accepted_at > now() - interval '1 day' end`,
    )
  ).count;

/** A topic of a review's window and what speaks for looking at it. */
export interface ReviewTopic {
  readonly topicId: string;
  readonly weight: number;
  readonly messages: number;
}

const MOST_TOPICS = 30;

/** Topics of an agent in a window, heaviest first: negative feedback weighs most, then failures, failed tools, corrections and receipts. */
export const collectTopics = (
  executor: Executor,
  {
    ownerId,
    agentId,
    userId,
    from,
    to,
  }: { readonly ownerId: string; readonly agentId: string; readonly userId: string; readonly from: string; readonly to: string },
): Promise<readonly ReviewTopic[]> =>
  readRows(
    executor,
    sql`
    with topics as (
      select topic_id, count(*)::int as messages, max(created_at) as last from chat_messages
      where user_id = ${userId} and agent_id = ${agentId} and topic_id is not null and created_at >= ${from}::timestamptz and created_at < ${to}::timestamptz
      group by topic_id
    ), facts as (
      select e.payload->>'topicId' as topic_id, e.source_type, n.node from signal_events e join signal_scopes s on s.id = e.scope_id
        left join signal_nodes n on n.event_id = e.id and n.type = 'signal.feedback.satisfaction'
      where s.owner_id = ${ownerId} and e.accepted_at >= ${from}::timestamptz and e.accepted_at < ${to}::timestamptz
    )
    select t.topic_id as "topicId", t.messages, (
      coalesce(sum(case when f.node->'payload'->>'result' = 'not_satisfied' then 5000 else 0 end), 0)
      + coalesce(sum(case when f.source_type = 'agent.execution.failed' then 4500 else 0 end), 0)
      + coalesce(sum(case when f.source_type = 'tool.outcome.failed' then 4000 else 0 end), 0)
      + (select count(*) from signal_receipts r where r.owner_id = ${ownerId} and r.topic_id = t.topic_id) * 1500)::int as weight
    from topics t left join facts f on f.topic_id = t.topic_id
    group by t.topic_id, t.messages, t.last order by weight desc, t.last desc limit ${MOST_TOPICS}`,
  );
