import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import { readRow } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** What a redrive takes up: a scope's failed events, or one of them. */
export interface RedriveQuery extends ScopeIdentity {
  readonly sourceId?: string | undefined;
}

const isWanted = ({ ownerId, scopeKey, sourceId }: RedriveQuery) => sql`
  e.scope_id = (select id from signal_scopes where owner_id = ${ownerId} and scope_key = ${scopeKey}) and e.state = 'failed' and e.payload is not null
  and (${sourceId ?? null}::text is null or e.source_id = ${sourceId ?? null})`;

/** How many events a redrive would take up; what was emptied with its age has nothing left to be run with. */
export const countRedrivable = async (executor: Executor, query: RedriveQuery): Promise<number> =>
  (await readRow<{ count: number }>(executor, sql`select count(*)::int as count from signal_events e where ${isWanted(query)}`)).count;

/** Makes failed events pending again, at the end of their scope's queue in their old order; handlers that have answered are not asked again. */
export const redriveEvents = async (executor: Executor, query: RedriveQuery): Promise<number> => {
  const { ownerId, scopeKey } = query;
  const { count } = await readRow<{ count: number }>(
    executor,
    sql`
    with scope as (
      update signal_scopes s set seq = s.seq + (select count(*) from signal_events e where ${isWanted(query)})
      where owner_id = ${ownerId} and scope_key = ${scopeKey} returning id, seq
    ), failed as (
      select e.id, row_number() over (order by e.seq desc) as back from signal_events e where ${isWanted(query)}
    ), reopened as (
      update signal_events e set state = 'pending', seq = scope.seq - failed.back + 1, deaths = 0, pauses = 0, outcome = null, reason = null,
        finished_at = null, timer_id = null
      from failed, scope where e.id = failed.id and e.state = 'failed' returning e.id
    )
    select count(*)::int as count from reopened`,
  );
  return count;
};
