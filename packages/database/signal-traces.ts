import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { NodeRow } from '../contracts/signal-records.ts';
import type { EventState, StepAnswer } from '../contracts/signal-run.ts';
import type { Executor } from './database.ts';
import { isoText, readRow, readRows } from './database.ts';
import { sql } from './drizzle.ts';

/** A fact by its identity; without a type or a scope it may be several. */
export interface TraceQuery {
  readonly ownerId: string;
  readonly sourceId: string;
  readonly sourceType?: string | undefined;
  readonly scopeKey?: string | undefined;
}

/** An event as the inbox has it. */
export interface TracedEvent extends ScopeIdentity {
  readonly eventId: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly state: EventState;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly payload: unknown;
  readonly cause: unknown;
  readonly claims: number;
  readonly reopens: number;
  readonly acceptedAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** What a handler answered. */
export interface TracedResult {
  readonly nodeId: string;
  readonly handlerId: string;
  readonly answer: StepAnswer;
  readonly result: unknown;
  readonly attempt: number;
  readonly startedAt: string;
  readonly completedAt: string;
}

/** Nodes and answers of an event. */
export interface SignalTrace {
  readonly nodes: readonly NodeRow[];
  readonly results: readonly TracedResult[];
}

/** Events of that identity, newest first. */
export const findEvents = (executor: Executor, { ownerId, sourceId, sourceType, scopeKey }: TraceQuery): Promise<readonly TracedEvent[]> =>
  readRows(
    executor,
    sql`
    select e.id::text as "eventId", s.owner_id as "ownerId", s.scope_key as "scopeKey", e.source_type as "sourceType", e.source_id as "sourceId", e.state,
      e.outcome, e.reason, e.payload, e.cause, e.token as claims, e.reopens, ${isoText(sql`e.accepted_at`)} as "acceptedAt",
      ${isoText(sql`e.started_at`)} as "startedAt", ${isoText(sql`e.finished_at`)} as "finishedAt"
    from signal_scopes s join signal_events e on e.scope_id = s.id
    where s.owner_id = ${ownerId} and e.source_id = ${sourceId}
      and (${sourceType ?? null}::text is null or e.source_type = ${sourceType ?? null})
      and (${scopeKey ?? null}::text is null or s.scope_key = ${scopeKey ?? null})
    order by e.id desc limit 50`,
  );

/** An event's row by its id. */
export const readEventState = (
  executor: Executor,
  eventId: string,
): Promise<{ readonly state: EventState; readonly outcome: string | null; readonly reason: string | null }> =>
  readRow(executor, sql`select state, outcome, reason from signal_events where id = ${eventId}::bigint`);

/** Nodes and answers of an event, in the order in which they were stored. */
export const readTrace = async (executor: Executor, eventId: string): Promise<SignalTrace> => ({
  nodes: await readRows<NodeRow>(
    executor,
    sql`select node_id as "nodeId", kind, type, depth, parent_id as "parentId", node from signal_nodes where event_id = ${eventId}::bigint order by place`,
  ),
  results: await readRows<TracedResult>(
    executor,
    sql`select node_id as "nodeId", handler_id as "handlerId", answer, result, attempt, ${isoText(sql`started_at`)} as "startedAt",
          ${isoText(sql`completed_at`)} as "completedAt"
        from signal_results where event_id = ${eventId}::bigint order by place`,
  ),
});
