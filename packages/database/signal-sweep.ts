import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { readRow, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

const SCOPES_A_SWEEP = 500;

/**
 * Scopes with something to do that nobody may have heard of: an event that is pending for a while, a timer that is due, an event in the hands of a run
 * that has not claimed for longer than any handler may take, an event whose lease is over. Where there are more than one sweep wakes, none is left out
 * for good.
 */
export const findSleepers = (executor: Executor, { sweepAfterMs, retryTotalMs }: SignalLimits): Promise<readonly ScopeIdentity[]> =>
  readRows(
    executor,
    sql`
    select s.owner_id as "ownerId", s.scope_key as "scopeKey" from signal_scopes s where s.id in (
      select scope_id from signal_events where state = 'pending' and accepted_at < now() - ${sweepAfterMs} * interval '1 ms'
      union select t.scope_id from signal_timers t join signal_events w on w.id = t.event_id and w.state = 'waiting'
        where t.state = 'open' and t.due_at < now() - interval '2 seconds'
      union select e.scope_id from signal_events e join signal_scopes o on o.id = e.scope_id
        where e.state = 'processing' and (o.lease_until is null or o.lease_until < now())
          and coalesce(o.claimed_at, e.started_at) < now() - least(${retryTotalMs}, ${sweepAfterMs} * 6) * interval '1 ms'
    ) order by random() limit ${SCOPES_A_SWEEP}`,
  );

/** Scopes whose consumer was of another build than the current one: each is woken once, and continues as new on that one. */
export const findOutdated = (executor: Executor, buildId: string): Promise<readonly ScopeIdentity[]> =>
  readRows(
    executor,
    sql`select owner_id as "ownerId", scope_key as "scopeKey" from signal_scopes
        where build_id is not null and build_id <> ${buildId} and claimed_at > now() - interval '1 day' limit ${SCOPES_A_SWEEP}`,
  );

/** The scope's consumer need not be woken for its build again. */
export const markBuild = async (executor: Executor, { ownerId, scopeKey }: ScopeIdentity, buildId: string): Promise<void> => {
  await executor.execute(sql`update signal_scopes set build_id = ${buildId} where owner_id = ${ownerId} and scope_key = ${scopeKey}`);
};

/** Scopes with an event that is pending for a minute, without a claim in that minute: their run may be stuck. */
export const findStuck = (executor: Executor): Promise<readonly ScopeIdentity[]> =>
  readRows(
    executor,
    sql`
    select s.owner_id as "ownerId", s.scope_key as "scopeKey" from signal_scopes s
    where s.claimed_at < now() - interval '1 minute' and coalesce(s.restarted_at < now() - interval '10 minutes', true)
      and exists (select 1 from signal_events e where e.scope_id = s.id and e.state = 'pending' and e.accepted_at < now() - interval '1 minute')
      and not exists (select 1 from signal_events e where e.scope_id = s.id and e.state = 'processing')
    limit 50`,
  );

/** Notes that a scope's run was ended, so that it is not again for ten minutes. */
export const markRestarted = async (executor: Executor, { ownerId, scopeKey }: ScopeIdentity): Promise<void> => {
  await executor.execute(sql`update signal_scopes set restarted_at = now() where owner_id = ${ownerId} and scope_key = ${scopeKey}`);
};

const A_STATEMENT = 1_000;

/** What is deleted, and when: nobody reads it any more. */
const OVER = [
  { table: sql`signal_guards`, isOver: sql`expires_at < now()` },
  { table: sql`signal_procedures`, isOver: sql`expires_at < now()` },
  { table: sql`signal_counts`, isOver: sql`at < now() - interval '7 days'` },
  { table: sql`signal_reflections`, isOver: sql`requested_at < now() - interval '7 days'` },
  { table: sql`signal_rejections`, isOver: sql`rejected_at < now() - interval '30 days'` },
  { table: sql`signal_diagnostics`, isOver: sql`created_at < now() - interval '30 days'` },
  { table: sql`signal_candidates`, isOver: sql`parked_at < now() - interval '30 days'` },
  { table: sql`signal_turns`, isOver: sql`completed_at < now() - interval '30 days'` },
  { table: sql`signal_receipts`, isOver: sql`created_at < now() - interval '90 days'` },
];

/** Payloads and traces of events that ended a while ago; the rows stay, so that their facts are known for ever. */
const emptyEvents = async (executor: Executor): Promise<number> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`
      with emptied as (
        update signal_events set payload = null where id in (
          select id from signal_events where payload is not null and state in ('done', 'failed') and finished_at < now() - interval '30 days' limit ${A_STATEMENT})
        returning id
      ), nodes as (delete from signal_nodes where event_id in (select id from emptied)),
      results as (delete from signal_results where event_id in (select id from emptied))
      select count(*)::int as count from emptied`,
    )
  ).count;

/** Empties what has been kept long enough, at most a thousand rows of each kind; answers how many rows changed. */
export const expireSignalRows = async (executor: Executor): Promise<number> => {
  let changed = await emptyEvents(executor);
  for (const { table, isOver } of OVER) {
    const { rowCount } = await executor.execute(
      sql`delete from ${table} where ctid in (select ctid from ${table} where ${isOver} limit ${A_STATEMENT})`,
    );
    changed += rowCount ?? 0;
  }
  return changed;
};

/** Age of the oldest pending event, seconds; null: none is pending. */
export const readOldestPending = async (executor: Executor): Promise<number | null> =>
  (
    await readRow<{ seconds: number | null }>(
      executor,
      sql`select extract(epoch from now() - min(accepted_at))::float8 as seconds from signal_events where state = 'pending'`,
    )
  ).seconds;
