import { SELF_ITERATION_FLAG } from './agents.ts';
import { readRow, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';
import type { KeysetSource } from './eligible.ts';

const MOST_AGENTS = 20;

/** Users with activity in the thirty hours before, who pass the feature gate. */
export const nightlyUsers = (scheduledAt: string, isOnByDefault: boolean): KeysetSource => ({
  query: sql`
    select a.user_id as item_id, a.user_id as sort_key from (
      select distinct user_id from chat_messages
      where created_at > ${scheduledAt}::timestamptz - interval '30 hours' and created_at <= ${scheduledAt}::timestamptz
    ) a where coalesce((select f.is_on from user_flags f where f.user_id = a.user_id and f.flag = ${SELF_ITERATION_FLAG}), ${isOnByDefault})`,
  sortType: 'text',
});

/** Time zone of a user as the product knows it; undefined: it does not. */
export const readTimezone = async (executor: Executor, userId: string): Promise<string | undefined> =>
  (await readRows<{ timezone: string }>(executor, sql`select timezone from user_profiles where user_id = ${userId}`))[0]?.timezone;

/** Agents of a user to be reviewed: with a message in the window, personal, not virtual except the inbox, switched on; newest activity first. */
export const listNightlyAgents = async (
  executor: Executor,
  { userId, from, to }: { readonly userId: string; readonly from: string; readonly to: string },
): Promise<readonly string[]> => {
  const rows = await readRows<{ agentId: string }>(
    executor,
    sql`
    select m.agent_id as "agentId" from chat_messages m left join agents g on g.id = m.agent_id
    where m.user_id = ${userId} and m.agent_id is not null and m.created_at >= ${from}::timestamptz and m.created_at < ${to}::timestamptz
      and g.workspace_id is null and (g.id is null or g.is_inbox or (not g.is_virtual and g.self_iteration))
    group by m.agent_id order by max(m.created_at) desc, m.agent_id limit ${MOST_AGENTS}`,
  );
  return rows.map(({ agentId }) => agentId);
};

/** Runs an ended event once more from its source, at the end of its scope's queue, if its review is open again; false: it stays as it is. */
export const repeatOpenReview = async (executor: Executor, eventId: string): Promise<boolean> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`
      with again as (
        select e.id, e.scope_id from signal_events e join signal_scopes s on s.id = e.scope_id
          join signal_reviews r on r.owner_id = s.owner_id and r.source_id = e.source_id
        where e.id = ${eventId}::bigint and e.state in ('done', 'failed') and r.state = 'open'
      ), scope as (
        update signal_scopes s set seq = s.seq + 1 from again where s.id = again.scope_id returning s.id, s.seq
      ), forgotten as (
        delete from signal_results r using again where r.event_id = again.id returning 1
      ), repeated as (
        update signal_events e set state = 'pending', seq = scope.seq, outcome = null, reason = null, finished_at = null, deaths = 0
        from again, scope where e.id = again.id returning e.id
      )
      select count(*)::int as count from repeated`,
    )
  ).count > 0;
