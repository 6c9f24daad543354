import type { Executor } from './database.ts';
import { readRows } from './database.ts';
import { sql } from './drizzle.ts';
import type { ClaimedRow } from './signal-claims.ts';

/** Events whose time has come, one timer each, earliest first; waits without a delay that are over end `timed_out`. */
export const claimDueTimers = async (
  executor: Executor,
  { scopeId, runId, size }: { readonly scopeId: string; readonly runId: string; readonly size: number },
): Promise<readonly ClaimedRow[]> => {
  await executor.execute(sql`
    with over as (
      update signal_timers set state = 'fired' where scope_id = ${scopeId}::bigint and state = 'open' and not is_delayed and due_at <= now() returning event_id
    )
    update signal_events e set state = 'done', outcome = 'concluded', reason = 'timed_out', finished_at = now()
    from over where e.id = over.event_id and e.state = 'waiting'
      and not exists (select 1 from signal_timers t where t.event_id = e.id and t.state = 'open' and t.is_delayed)`);
  return readRows<ClaimedRow>(
    executor,
    sql`
    with due as (
      select distinct on (t.event_id) t.id, t.event_id, t.due_at from signal_timers t join signal_events e on e.id = t.event_id
      where t.scope_id = ${scopeId}::bigint and t.state = 'open' and t.due_at <= now() and e.state = 'waiting'
      order by t.event_id, t.due_at, t.id
    ), first as (select * from due order by due_at limit ${size}), claimed as (
      update signal_events e set state = 'processing', token = e.token + 1, run_id = ${runId}, timer_id = first.id
      from first where e.id = first.event_id and e.state = 'waiting'
      returning e.id, e.token, e.source_type, e.source_id, e.timer_id, first.due_at
    )
    select id::text as "eventId", token, source_type as "sourceType", source_id as "sourceId", timer_id::text as "timerId", null as fresh from claimed order by due_at`,
  );
};

/** The node at which a timer's run begins; `node` is null where that is the event's source. */
export interface TimerRow {
  readonly timerId: string;
  readonly nodeId: string;
  readonly handlerId: string | null;
  readonly kind: 'signal' | 'action' | null;
  readonly type: string | null;
  readonly depth: number | null;
}

export const readTimers = (executor: Executor, timerIds: readonly string[]): Promise<readonly TimerRow[]> =>
  timerIds.length === 0
    ? Promise.resolve([])
    : readRows<TimerRow>(
        executor,
        sql`select t.id::text as "timerId", t.node_id as "nodeId", t.handler_id as "handlerId", n.kind, n.type, n.depth
            from signal_timers t left join signal_nodes n on n.event_id = t.event_id and n.node_id = t.node_id
            where t.id = any(${sql.param([...timerIds])}::bigint[])`,
      );
