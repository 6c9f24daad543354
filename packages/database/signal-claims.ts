import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { LoadedStep } from '../contracts/signal-store.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { Executor } from './database.ts';
import { readRow } from './database.ts';
import { sql } from './drizzle.ts';
import { prepareStatement } from './prepared.ts';

/** The run of a scope that claims. */
export interface Claimant extends ScopeIdentity {
  readonly runId: string;
  readonly buildId: string;
}

/** The scope's row as a claimant finds it. */
export interface OpenedScope {
  readonly scopeId: string;
  /** A caller executes an event itself and holds the scope for so long yet, ms; 0: nobody does. */
  readonly leasedMs: number;
  /** Until its earliest timer, ms; null: it has none. */
  readonly nextDueInMs: number | null;
}

/** Takes the wake-up as heard and names the scope's consumer; what is accepted from now on sends a wake of its own. */
export const openScope = ({ ownerId, scopeKey, runId, buildId }: Claimant, executor: Executor): Promise<OpenedScope> =>
  readRow(
    executor,
    sql`insert into signal_scopes as s (owner_id, scope_key, seq, tokens, run_id, build_id, claimed_at)
        values (${ownerId}, ${scopeKey}, 0, 1, ${runId}, ${buildId}, now())
        on conflict (owner_id, scope_key) do update set wake_at = null, run_id = excluded.run_id, build_id = excluded.build_id, claimed_at = now()
        returning id::text as "scopeId", ceil(greatest(0, coalesce(extract(epoch from s.lease_until - now()) * 1000, 0)))::int as "leasedMs",
          (select ceil(greatest(0, extract(epoch from t.due_at - now()) * 1000))::float8 from signal_timers t
            join signal_events e on e.id = t.event_id and e.state = 'waiting' where t.scope_id = s.id and t.state = 'open' order by t.due_at limit 1) as "nextDueInMs"`,
  );

/** What a claim knows of an event that nobody has run before: enough for its first handler, without another look. */
export interface FreshEvent {
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly context: { readonly userId: string };
  readonly cause: LoadedStep['cause'];
}

/** An event in the hands of a claimant. */
export interface ClaimedRow {
  readonly eventId: string;
  readonly token: number;
  readonly sourceType: string;
  readonly sourceId: string;
  /** Timer under which it goes on; null: it is run from its source. */
  readonly timerId: string | null;
  /** Null: it was run before, or is big. */
  readonly fresh: FreshEvent | null;
}

interface ClaimValues extends Record<string, unknown> {
  readonly scopeId: string;
  readonly runId: string;
  readonly size: number;
  readonly deaths: number;
}

const scope = sql`${sql.placeholder('scopeId')}::bigint`;
const run = sql`${sql.placeholder('runId')}::text`;
const isLost = sql`chosen.state = 'processing' and chosen.run_id is distinct from ${run}`;

// What a closed run held is pending again at once: of one workflow id only one run is open. Only the event under its hands counts the run's end.
const claimStatement = prepareStatement<ClaimValues, ClaimedRow & { readonly state: string; readonly isPending: boolean }>(
  'strata_claim_signal_events',
  sql`
  with free as (
    select id from signal_scopes where id = ${scope} and (lease_until is null or lease_until < now()) for update
  ), chosen as (
    select id, seq, state, run_id, deaths, row_number() over (order by seq) = 1 as is_first from (
      select id, seq, state, run_id, deaths from signal_events where scope_id = (select id from free) and state in ('pending', 'processing')
      order by seq limit ${sql.placeholder('size')}::int for update
    ) as queue
  ), claimed as (
    update signal_events e set
      deaths = e.deaths + case when ${isLost} and chosen.is_first then 1 else 0 end,
      state = case when ${isLost} and chosen.is_first and e.deaths + 1 >= ${sql.placeholder('deaths')}::int then 'failed' else 'processing' end,
      outcome = case when ${isLost} and chosen.is_first and e.deaths + 1 >= ${sql.placeholder('deaths')}::int then 'failed' end,
      reason = case when ${isLost} and chosen.is_first and e.deaths + 1 >= ${sql.placeholder('deaths')}::int then 'scope_crashed' end,
      finished_at = case when ${isLost} and chosen.is_first and e.deaths + 1 >= ${sql.placeholder('deaths')}::int then now() end,
      token = e.token + 1, run_id = ${run}, started_at = coalesce(e.started_at, now())
    from chosen where e.id = chosen.id
    returning e.id, e.seq, e.token, e.source_type, e.source_id, e.state, e.timer_id, e.payload, e.context, e.cause
  )
  select id::text as "eventId", token, source_type as "sourceType", source_id as "sourceId", timer_id::text as "timerId",
    case when token = 1 and pg_column_size(payload) <= 16384 then jsonb_build_object('payload', payload, 'context', context, 'cause', cause) end as fresh
  from claimed where state = 'processing' order by seq`,
);

/** What the claimant still holds, then pending events in order of acceptance; nothing while a caller has leased the scope, even since a moment ago. */
export const claimEvents = (
  executor: Executor,
  {
    scopeId,
    runId,
    size,
    limits,
  }: { readonly scopeId: string; readonly runId: string; readonly size: number; readonly limits: Pick<SignalLimits, 'deaths'> },
): Promise<readonly ClaimedRow[]> => claimStatement.rows(executor, { scopeId, runId, size, deaths: limits.deaths });
