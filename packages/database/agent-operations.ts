import { readRow, readRows } from './database.ts';
import type { Database, Executor, Transaction } from './database.ts';
import { inTransaction } from './database.ts';
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

/** Agent runs of a scope in the last hour. */
export const countRecentOperations = async (executor: Executor, { ownerId, scopeKey }: Pick<NewOperation, 'ownerId' | 'scopeKey'>): Promise<number> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`select count(*)::int as count from agent_operations
          where owner_id = ${ownerId} and scope_key = ${scopeKey} and created_at > now() - interval '1 hour'`,
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

/** A run begins; one that has ended stays so. */
export const beginOperation = async (executor: Executor, operationId: string): Promise<void> => {
  await executor.execute(sql`
    update agent_operations set state = 'running', started_at = coalesce(started_at, now()) where operation_id = ${operationId} and state in ('reserved', 'running')`);
};

/** The run was started for good: what it was to consume is consumed. */
export const consumeForOperation = async (executor: Executor, operationId: string): Promise<void> => {
  await executor.execute(sql`
    update signal_candidates c set state = 'synthesised' from agent_operations o
    where o.operation_id = ${operationId} and c.owner_id = o.owner_id and c.message_id = o.candidate`);
};

/** How a run ended. */
export interface OperationEnd {
  readonly operationId: string;
  readonly state: 'done' | 'failed';
  readonly reason: string;
  readonly steps: number;
}

/** Ends a run once: with it its review, and, where it failed, its action is open again. Answers whether this call ended it. */
export const endOperation = async (tx: Transaction, { operationId, state, reason, steps }: OperationEnd): Promise<boolean> => {
  const ended = await readRows<{ ownerId: string; review: string | null }>(
    tx,
    sql`update agent_operations set state = ${state}, reason = ${reason}, steps = ${steps}, finished_at = now()
        where operation_id = ${operationId} and state in ('reserved', 'running') returning owner_id as "ownerId", review`,
  );
  const [run] = ended;
  if (run === undefined) return false;
  if (state === 'failed')
    await tx.execute(sql`
      update signal_actions set state = 'failed', detail = ${reason}, settled_at = now() where operation_id = ${operationId} and state in ('reserved', 'applied')`);
  if (run.review !== null)
    await tx.execute(sql`
      update signal_reviews set state = ${state === 'done' ? 'done' : 'open'}, updated_at = now() where owner_id = ${run.ownerId} and source_id = ${run.review}`);
  return true;
};
