import { readRows } from './database.ts';
import type { Executor, Transaction } from './database.ts';
import { sql } from './drizzle.ts';

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
