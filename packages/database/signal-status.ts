import type { ScopeStatus } from '../contracts/agent-signal-scope.ts';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { EventState } from '../contracts/signal-run.ts';
import { isoText, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** States of events, for producers that wait for them. */
export const readStates = (
  executor: Executor,
  eventIds: readonly string[],
): Promise<readonly { readonly eventId: string; readonly state: EventState }[]> =>
  eventIds.length === 0
    ? Promise.resolve([])
    : readRows(executor, sql`select id::text as "eventId", state from signal_events where id = any(${sql.param([...eventIds])}::bigint[])`);

/** What a scope has, counted from its rows; null where nobody knows the scope. */
export const readScopeStatus = async (executor: Executor, { ownerId, scopeKey }: ScopeIdentity): Promise<ScopeStatus | null> => {
  const [row] = await readRows<Omit<ScopeStatus, keyof ScopeIdentity>>(
    executor,
    sql`
    select c.*, t.timers, r.rejected, p.current as "currentEvent", f.failure as "lastFailure", ${isoText(sql`now()`)} as "asOf"
    from (select null::bigint as id union all select id from signal_scopes where owner_id = ${ownerId} and scope_key = ${scopeKey}) s
    cross join lateral (
      select count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'processing')::int as processing,
        count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'done')::int as done,
        count(*) filter (where state = 'failed')::int as failed
      from signal_events where scope_id = s.id) c
    cross join lateral (select count(*)::int as timers from signal_timers where scope_id = s.id and state = 'open') t
    cross join lateral (select count(*)::int as rejected from signal_rejections where owner_id = ${ownerId} and scope_key = ${scopeKey}) r
    cross join lateral (
      select min(source_type || ' ' || source_id) as current from (
        select source_type, source_id from signal_events where scope_id = s.id and state = 'processing' order by seq limit 1) x) p
    cross join lateral (
      select min(source_id || ': ' || coalesce(reason, '')) as failure from (
        select source_id, reason from signal_events where scope_id = s.id and state = 'failed' order by seq desc limit 1) x) f
    where s.id is not null or r.rejected > 0 order by s.id nulls last limit 1`,
  );
  return row === undefined ? null : { ownerId, scopeKey, ...row };
};
