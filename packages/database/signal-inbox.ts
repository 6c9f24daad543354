import type { SourceEvent } from '../contracts/signal-events.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { EventState } from '../contracts/signal-run.ts';
import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRow } from './database.ts';
import { prepareStatement } from './prepared.ts';

/** How an event is accepted. */
export interface AcceptOptions {
  readonly limits: SignalLimits;
  /** How long its producer waits for the outcome, ms; 0: not at all. */
  readonly awaitMs?: number;
}

/** What became of an event at the inbox. */
export type AcceptAnswer =
  | {
      readonly kind: 'accepted';
      readonly eventId: string;
      readonly scopeId: string;
      readonly isReopened: boolean;
      /** The caller sends the wake; otherwise one is under way. */
      readonly sendsWake: boolean;
      /** Whether a waiting producer has found a place among those who wait. */
      readonly isAwaited: boolean;
      /** Run that last claimed in the scope. */
      readonly runId: string | null;
    }
  | { readonly kind: 'duplicate'; readonly eventId: string; readonly state: EventState; readonly runId: string | null }
  | { readonly kind: 'refused'; readonly reason: 'rateLimited' | 'backlogFull'; readonly retryAfterSeconds: number };

interface AcceptValues extends Record<string, unknown> {
  readonly ownerId: string;
  readonly scopeKey: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly payload: string;
  readonly context: string;
  readonly cause: string | null;
  readonly reopens: number;
  readonly perSecond: number;
  readonly pending: number;
  readonly wakeFreshMs: number;
  readonly awaitMs: number;
  readonly waitingEmits: number;
}

interface AcceptRow {
  readonly event_id: string;
  readonly scope_id: string | null;
  readonly state: EventState;
  readonly is_taken: boolean;
  readonly is_new: boolean;
  readonly sends_wake: boolean;
  readonly is_awaited: boolean;
  readonly run_id: string | null;
}

const text = (name: string) => sql`${sql.placeholder(name)}::text`;
const int = (name: string) => sql`${sql.placeholder(name)}::int`;
const json = (name: string) => sql`${sql.placeholder(name)}::jsonb`;
const span = (name: string) => sql`${int(name)} * interval '1 ms'`;

const refilled = sql`least(${int('perSecond')}, s.tokens + greatest(0, extract(epoch from now() - s.tokens_at)) * ${int('perSecond')})`;

// From the first pending event to the last event are at least as many places as are pending, and to know them costs one look at an index.
const hasRoom = sql`(
  s.seq - coalesce((select min(q.seq) from signal_events q where q.scope_id = s.id and q.state = 'pending'), s.seq) + 1 < ${int('pending')}
  or (select count(*) from signal_events q where q.scope_id = s.id and q.state = 'pending') < ${int('pending')})`;

const reopens = sql`e.state = 'failed' and e.reopens < ${int('reopens')}`;

// The lock on the scope's row makes the places the order of commit.
const acceptStatement = prepareStatement<AcceptValues, AcceptRow>(
  'strata_accept_signal_event',
  sql`
  with known as (
    select e.id, e.state, s.run_id from signal_scopes s join signal_events e on e.scope_id = s.id
    where s.owner_id = ${text('ownerId')} and s.scope_key = ${text('scopeKey')} and e.source_type = ${text('sourceType')}
      and e.source_id = ${text('sourceId')} and not (${reopens})
  ), scope as (
    insert into signal_scopes as s (owner_id, scope_key, seq, tokens, wake_at)
    select ${text('ownerId')}, ${text('scopeKey')}, 1, ${int('perSecond')} - 1, now() where not exists (select 1 from known)
    on conflict (owner_id, scope_key) do update set
      seq = s.seq + 1, tokens = ${refilled} - 1, tokens_at = greatest(s.tokens_at, now()),
      wake_at = case when s.wake_at > now() - ${span('wakeFreshMs')} then s.wake_at else now() end
    where ${refilled} >= 1 and ${hasRoom}
    returning id, seq, wake_at = now() as sends_wake, run_id
  ), event as (
    insert into signal_events as e (scope_id, seq, source_type, source_id, state, payload, context, cause, awaited_until)
    select scope.id, scope.seq, ${text('sourceType')}, ${text('sourceId')}, 'pending', ${json('payload')}, ${json('context')}, ${json('cause')},
      case when ${int('awaitMs')} > 0 and (
          select count(*) from signal_events w where w.scope_id = scope.id and w.state in ('pending', 'processing') and w.awaited_until > now()
        ) < ${int('waitingEmits')} then now() + ${span('awaitMs')} end
    from scope
    on conflict (scope_id, source_type, source_id) do update set
      state = case when ${reopens} then 'pending' else e.state end,
      seq = case when ${reopens} then excluded.seq else e.seq end,
      deaths = case when ${reopens} then 0 else e.deaths end,
      pauses = case when ${reopens} then 0 else e.pauses end,
      outcome = case when ${reopens} then null else e.outcome end,
      reason = case when ${reopens} then null else e.reason end,
      finished_at = case when ${reopens} then null else e.finished_at end,
      awaited_until = case when ${reopens} then excluded.awaited_until else e.awaited_until end,
      timer_id = case when ${reopens} then null else e.timer_id end,
      -- Emptied with its age; what was delivered again is the same fact.
      payload = case when ${reopens} then coalesce(e.payload, excluded.payload) else e.payload end,
      reopens = case when ${reopens} then e.reopens + 1 else e.reopens end
    returning e.id, e.state, e.seq, xmax = 0 as is_new, e.awaited_until is not null as is_awaited
  )
  select event.id::text as event_id, scope.id::text as scope_id, event.state, event.seq = scope.seq as is_taken, event.is_new, event.is_awaited,
    scope.sends_wake, scope.run_id
  from event cross join scope
  union all
  select known.id::text, null, known.state, false, false, false, false, known.run_id from known`,
);

const RATE_LIMITED: AcceptAnswer = { kind: 'refused', reason: 'rateLimited', retryAfterSeconds: 1 };

/** Why nothing was stored: too many that wait, or too many in a second; null: neither holds any more. */
const readRefusal = async (executor: Executor, { ownerId, scopeKey }: SourceEvent, limits: SignalLimits): Promise<AcceptAnswer | null> => {
  const { pending, tokens } = await readRow<{ pending: number; tokens: number }>(
    executor,
    sql`select (select count(*)::int from signal_events e where e.scope_id = s.id and e.state = 'pending') as pending,
          least(${limits.acceptedPerSecond}::float8, s.tokens + greatest(0, extract(epoch from now() - s.tokens_at)) * ${limits.acceptedPerSecond}::float8)::float8 as tokens
        from signal_scopes s where s.owner_id = ${ownerId} and s.scope_key = ${scopeKey}`,
  );
  if (pending >= limits.pending) return { kind: 'refused', reason: 'backlogFull', retryAfterSeconds: 10 };
  return tokens < 1 ? RATE_LIMITED : null;
};

const toAnswer = (row: AcceptRow): AcceptAnswer =>
  row.is_taken
    ? {
        kind: 'accepted',
        eventId: row.event_id,
        scopeId: row.scope_id as string,
        isReopened: !row.is_new,
        sendsWake: row.sends_wake,
        isAwaited: row.is_awaited,
        runId: row.run_id,
      }
    : { kind: 'duplicate', eventId: row.event_id, state: row.state, runId: row.run_id };

const valuesOf = (event: SourceEvent, { limits, awaitMs = 0 }: AcceptOptions): AcceptValues => {
  const { ownerId, scopeKey, sourceType, sourceId, payload, cause, userId, agentId, workspaceId, timestamp } = event;
  return {
    ownerId,
    scopeKey,
    sourceType,
    sourceId,
    payload: JSON.stringify(payload),
    context: JSON.stringify({ userId, agentId, workspaceId, timestamp }),
    cause: cause === undefined ? null : JSON.stringify(cause),
    reopens: limits.reopens,
    perSecond: limits.acceptedPerSecond,
    pending: limits.pending,
    wakeFreshMs: limits.wakeFreshMs,
    awaitMs,
    waitingEmits: limits.waitingEmits,
  };
};

const TRIES = 3;

/**
 * Makes an event durable in one statement: a new row in order of acceptance, or, where the identity is known, the state that the known row has; a failed
 * one is opened again, at most so often. Nothing is stored where the scope's bounds are reached; where they no longer are a moment later, it is tried again.
 */
export const acceptEvent = async (executor: Executor, event: SourceEvent, options: AcceptOptions): Promise<AcceptAnswer> => {
  const values = valuesOf(event, options);
  for (let left = TRIES; left > 0; left--) {
    const [row] = await acceptStatement.rows(executor, values);
    if (row !== undefined) return toAnswer(row);
    const refusal = await readRefusal(executor, event, options.limits);
    if (refusal !== null) return refusal;
  }
  return RATE_LIMITED;
};

/** Keeps an event that is derived from another one of its scope, in that one's place: it is claimed next. Known facts stay as they are. */
export const insertDerived = async (executor: Executor, event: SourceEvent, eventId: string): Promise<void> => {
  const { sourceType, sourceId, payload, cause, userId, agentId, workspaceId } = event;
  await executor.execute(sql`
    insert into signal_events (scope_id, seq, source_type, source_id, state, payload, context, cause)
    select e.scope_id, e.seq, ${sourceType}, ${sourceId}, 'pending', ${JSON.stringify(payload)}::jsonb, ${JSON.stringify({ userId, agentId, workspaceId })}::jsonb,
      ${cause === undefined ? null : JSON.stringify(cause)}::jsonb
    from signal_events e where e.id = ${eventId}::bigint
    on conflict (scope_id, source_type, source_id) do nothing`);
};

/** The wake could not be sent: the next event sends one, and the sweeper looks after this one. */
export const clearWake = async (executor: Executor, scopeId: string): Promise<void> => {
  await executor.execute(sql`update signal_scopes set wake_at = null where id = ${scopeId}::bigint`);
};

/** Events accepted in the scope in the last hour. */
export const countRecentEvents = async (executor: Executor, scopeId: string): Promise<number> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`select count(*)::int as count from signal_events where scope_id = ${scopeId}::bigint and accepted_at > now() - interval '1 hour'`,
    )
  ).count;
