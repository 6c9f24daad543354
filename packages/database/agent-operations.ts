import { inTransaction, readRow, readRows } from './database.ts';
import type { Database, Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** An agent run to be started. */
export interface NewOperation {
  readonly operationId: string;
  readonly ownerId: string;
  readonly scopeKey: string;
  readonly userId: string;
  readonly workspaceId: string | null;
  readonly agentId: string;
  readonly marker: unknown;
  readonly prompt: string;
  readonly context: string | null;
  readonly maxSteps: number;
  readonly detail: string;
  readonly failureCode: string;
  readonly candidate: string | null;
  readonly review: string | null;
}

/** An agent run as it is stored. */
export interface Operation extends NewOperation {
  readonly state: 'reserved' | 'running' | 'done' | 'failed';
  readonly steps: number;
}

/** Agent runs of a scope in the last hour besides this one. */
export const countRecentOperations = async (
  executor: Executor,
  { ownerId, scopeKey, operationId }: Pick<NewOperation, 'ownerId' | 'scopeKey' | 'operationId'>,
): Promise<number> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`select count(*)::int as count from agent_operations
          where owner_id = ${ownerId} and scope_key = ${scopeKey} and operation_id <> ${operationId} and created_at > now() - interval '1 hour'`,
    )
  ).count;

/** Stores a run before it is started, and names it in its action's row; repeating it changes nothing. */
export const reserveOperation = (
  db: Database,
  operation: NewOperation,
  action: { readonly key: string; readonly threadId: string | null },
): Promise<void> =>
  inTransaction(db, async (tx) => {
    const o = operation;
    await tx.execute(sql`
      insert into agent_operations (operation_id, owner_id, scope_key, user_id, workspace_id, agent_id, marker, prompt, context, max_steps, detail,
        failure_code, thread_id, candidate, review)
      values (${o.operationId}, ${o.ownerId}, ${o.scopeKey}, ${o.userId}, ${o.workspaceId}, ${o.agentId}, ${JSON.stringify(o.marker)}::jsonb, ${o.prompt},
        ${o.context}, ${o.maxSteps}, ${o.detail}, ${o.failureCode}, ${action.threadId}, ${o.candidate}, ${o.review})
      on conflict (operation_id) do nothing`);
    await tx.execute(
      sql`update signal_actions set operation_id = ${o.operationId} where owner_id = ${o.ownerId} and key = ${action.key} and state = 'reserved'`,
    );
  });

/** Reads a run; undefined: there is none of that id. */
export const readOperation = async (executor: Executor, operationId: string): Promise<Operation | undefined> =>
  (
    await readRows<Operation>(
      executor,
      sql`select operation_id as "operationId", owner_id as "ownerId", scope_key as "scopeKey", user_id as "userId", workspace_id as "workspaceId",
            agent_id as "agentId", marker, prompt, context, max_steps as "maxSteps", detail, failure_code as "failureCode", candidate, review, state, steps
          from agent_operations where operation_id = ${operationId}`,
    )
  )[0];

/** Runs that should have ended or gone on long ago: their workflow may be gone. One that its event is still to start is none. */
export const findSilentOperations = (executor: Executor): Promise<readonly string[]> =>
  readRows<{ id: string }>(
    executor,
    sql`select o.operation_id as id from agent_operations o
        where o.state in ('reserved', 'running') and o.created_at < now() - interval '1 minute'
          and not (o.state = 'reserved' and exists (
            select 1 from signal_actions a join signal_events e on e.id = a.event_id
            where a.operation_id = o.operation_id and e.state in ('pending', 'processing', 'waiting')))
        order by random() limit 50`,
  ).then((rows) => rows.map(({ id }) => id));

/** A run begins; one that has ended stays so. */
export const beginOperation = async (executor: Executor, operationId: string): Promise<void> => {
  await executor.execute(sql`
    update agent_operations set state = 'running', started_at = coalesce(started_at, now()) where operation_id = ${operationId} and state in ('reserved', 'running')`);
};
