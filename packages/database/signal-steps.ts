import type { EventOutcome, EventState } from '../contracts/signal-run.ts';
import { stateOf } from '../contracts/signal-run.ts';
import type { LoadedStep, StepKey, StepRecord } from '../contracts/signal-store.ts';
import type { NewTimer } from '../contracts/signal-records.ts';
import { inTransaction } from './database.ts';
import type { Database, Executor } from './database.ts';
import { sql } from './drizzle.ts';
import { prepareStatement } from './prepared.ts';

const event = sql`${sql.placeholder('eventId')}::bigint`;
const token = sql`${sql.placeholder('token')}::int`;
const nodeId = sql`${sql.placeholder('nodeId')}::text`;
const handlerId = sql`${sql.placeholder('handlerId')}::text`;
const timer = sql`${sql.placeholder('timerId')}::bigint`;

const loadStatement = prepareStatement<Record<string, unknown>, LoadedStep>(
  'strata_load_signal_step',
  sql`
  select e.state = 'processing' and e.token = ${token} as "isHeld", s.id::text as "scopeId", s.owner_id as "ownerId", s.scope_key as "scopeKey",
    e.source_type as "sourceType", e.source_id as "sourceId", e.payload, e.context, e.cause, e.pauses,
    (select count(*)::int from signal_timers h where h.event_id = e.id and h.kind = 'schedule') as hops,
    (select n.node from signal_nodes n where n.event_id = e.id and n.node_id = ${nodeId}) as node,
    (select r.answer from signal_results r where r.event_id = e.id and r.node_id = ${nodeId} and r.handler_id = ${handlerId}
      and not exists (select 1 from signal_timers t where t.id = ${timer} and t.state = 'open')) as answer
  from signal_events e join signal_scopes s on s.id = e.scope_id where e.id = ${event}`,
);

/** Loads a call; a stored answer counts unless the call goes on after a wait that has not been answered yet. Undefined: there is no such event. */
export const loadStep = async (executor: Executor, { timerId, ...key }: StepKey): Promise<LoadedStep | undefined> =>
  (await loadStatement.rows(executor, { ...key, timerId: timerId ?? null }))[0];

const settles = sql`${sql.placeholder('state')}::text is not null`;
const otherTimers = sql`exists (select 1 from signal_timers t where t.event_id = e.id and t.state = 'open' and t.id is distinct from ${timer})`;

// The event's row is changed only while its claim holds: whatever else is stored hangs on it.
const heldAndStored = sql`
  with held as (
    update signal_events e set
      state = case when not (${settles}) then e.state
        when ${sql.placeholder('state')}::text = 'done' and ${otherTimers} then 'waiting' else ${sql.placeholder('state')}::text end,
      outcome = case when ${settles} then ${sql.placeholder('outcome')}::text else e.outcome end,
      reason = case when ${settles} then ${sql.placeholder('reason')}::text else e.reason end,
      timer_id = case when ${settles} then null else e.timer_id end,
      finished_at = case when ${settles} then clock_timestamp() else e.finished_at end
    where e.id = ${event} and e.token = ${token} and e.state = 'processing'
    returning e.id, e.state
  ), stored as (
    insert into signal_results as r (event_id, node_id, handler_id, answer, result, attempt, started_at, completed_at)
    select held.id, ${nodeId}, ${handlerId}, ${sql.placeholder('answer')}::jsonb, ${sql.placeholder('result')}::jsonb, ${sql.placeholder('attempt')}::int,
      ${sql.placeholder('startedAt')}::timestamptz, clock_timestamp()
    from held
    on conflict (event_id, node_id, handler_id) do update set answer = excluded.answer, result = excluded.result, attempt = excluded.attempt,
      started_at = excluded.started_at, completed_at = excluded.completed_at
  )`;

type StoredRow = { readonly state: EventState };

/** Most answers bring nothing but themselves. */
const storePlainStatement = prepareStatement<Record<string, unknown>, StoredRow>(
  'strata_store_plain_signal_step',
  sql`${heldAndStored} select state from held`,
);

const storeStatement = prepareStatement<Record<string, unknown>, StoredRow>(
  'strata_store_signal_step',
  sql`
  ${heldAndStored}, grown as (
    insert into signal_nodes (event_id, node_id, kind, type, depth, parent_id, node)
    select held.id, n."nodeId", n.kind, n.type, n.depth, n."parentId", n.node from held cross join
      jsonb_to_recordset(${sql.placeholder('nodes')}::jsonb) as n("nodeId" text, kind text, type text, depth int, "parentId" text, node jsonb)
    on conflict (event_id, node_id) do nothing
  ), acted as (
    update signal_actions a set state = ${sql.placeholder('actionState')}::text, detail = ${sql.placeholder('detail')}::text, settled_at = now()
    from held where a.owner_id = ${sql.placeholder('ownerId')}::text and a.key = ${sql.placeholder('actionKey')}::text and a.event_id = held.id
      and a.node_id = ${nodeId} and a.state = 'reserved'
  ), fired as (
    update signal_timers t set state = 'fired' from held where t.id = ${timer} and t.event_id = held.id and t.state = 'open'
  )
  select state from held`,
);

const valuesOf = ({
  answer,
  result,
  nodes,
  action,
  outcome,
  timerId,
  eventId,
  token: held,
  nodeId: node,
  handlerId: handler,
  attempt,
  startedAt,
}: StepRecord) => ({
  eventId,
  token: held,
  nodeId: node,
  handlerId: handler,
  attempt,
  startedAt,
  timerId: timerId ?? null,
  answer: JSON.stringify(answer),
  result: JSON.stringify(result ?? null),
  nodes: JSON.stringify(nodes),
  ownerId: action?.ownerId ?? null,
  actionKey: action?.key ?? null,
  actionState: action?.state ?? null,
  detail: action?.detail ?? null,
  state: outcome === null ? null : stateOf(outcome),
  outcome: outcome?.status ?? null,
  reason: outcome?.reason ?? null,
});

const isPlain = ({ nodes, action, timerId }: StepRecord): boolean => nodes.length === 0 && action === null && timerId === undefined;

const storeAnswer = async (executor: Executor, record: StepRecord): Promise<EventState | null> =>
  (await (isPlain(record) ? storePlainStatement : storeStatement).rows(executor, valuesOf(record)))[0]?.state ?? null;

/** A newer event of a lane takes over: what waits in it is done, `superseded`. */
const supersede = async (executor: Executor, { scopeId, eventId }: Pick<StepRecord, 'scopeId' | 'eventId'>, lane: string): Promise<void> => {
  await executor.execute(sql`
    with given_up as (
      update signal_timers set state = 'superseded'
      where scope_id = ${scopeId}::bigint and kind = 'wait' and key = ${lane} and state = 'open' and event_id <> ${eventId}::bigint returning event_id, id
    )
    update signal_events e set state = 'done', outcome = 'concluded', reason = 'superseded', finished_at = clock_timestamp()
    from given_up where e.id = given_up.event_id and e.state = 'waiting'
      and not exists (select 1 from signal_timers t where t.event_id = e.id and t.state = 'open' and t.id <> given_up.id)`);
};

const setTimer = async (executor: Executor, { scopeId, eventId }: StepRecord, timed: NewTimer): Promise<void> => {
  if (timed.kind === 'wait') await supersede(executor, { scopeId, eventId }, timed.key);
  if (timed.kind === 'pause') await executor.execute(sql`update signal_events set pauses = pauses + 1 where id = ${eventId}::bigint`);
  await executor.execute(sql`
    insert into signal_timers as t (scope_id, event_id, kind, key, node_id, handler_id, is_delayed, due_at)
    values (${scopeId}::bigint, ${eventId}::bigint, ${timed.kind}, ${timed.key}, ${timed.nodeId}, ${timed.handlerId}, ${timed.delayMs !== null},
      clock_timestamp() + ${timed.delayMs ?? timed.boundMs}::float8 * interval '1 ms')
    on conflict (event_id, kind, key) do update set due_at = excluded.due_at, state = 'open', node_id = excluded.node_id,
      handler_id = excluded.handler_id, is_delayed = excluded.is_delayed`);
};

/**
 * Stores an answer with all that comes of it in one statement, or, where it asks for a timer, in one transaction on the database's clock; null where
 * another claim has taken the event over: then nothing is stored.
 */
export const storeStep = (db: Database, record: StepRecord): Promise<EventState | null> => {
  const { timer: timed } = record;
  if (timed === null) return storeAnswer(db, record);
  return inTransaction(db, async (tx) => {
    const state = await storeAnswer(tx, record);
    if (state !== null) await setTimer(tx, record, timed);
    return state;
  });
};

/** Ends an event whose last step needed no call; null where another claim has it. */
export const settleEvent = async (
  executor: Executor,
  { eventId, token: held, outcome }: { readonly eventId: string; readonly token: number; readonly outcome: EventOutcome },
): Promise<EventState | null> => {
  const { rows } = await executor.execute(sql`
    update signal_events e set outcome = ${outcome.status}, reason = ${outcome.reason}, finished_at = clock_timestamp(),
      state = case when ${stateOf(outcome)} = 'done' and exists (
        select 1 from signal_timers t where t.event_id = e.id and t.state = 'open' and t.id is distinct from e.timer_id) then 'waiting' else ${stateOf(outcome)} end,
      timer_id = null
    where e.id = ${eventId}::bigint and e.token = ${held} and e.state = 'processing' returning e.state`);
  return (rows[0] as { readonly state: EventState } | undefined)?.state ?? null;
};
