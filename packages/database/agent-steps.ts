import { inTransaction, readRows } from './database.ts';
import type { Database, Executor, Transaction } from './database.ts';
import { sql } from './drizzle.ts';

/** What the model decided at a step; undefined: nothing yet. */
export const readDecision = async (executor: Executor, operationId: string, step: number): Promise<unknown> =>
  (await readRows<{ decision: unknown }>(executor, sql`select decision from agent_steps where operation_id = ${operationId} and step = ${step}`))[0]
    ?.decision;

/** Keeps a decision; the first one stands. Answers the one that stands. */
export const keepDecision = async (
  executor: Executor,
  operationId: string,
  { step, decision }: { readonly step: number; readonly decision: unknown },
): Promise<unknown> => {
  await executor.execute(sql`
    insert into agent_steps (operation_id, step, decision) values (${operationId}, ${step}, ${JSON.stringify(decision)}::jsonb) on conflict do nothing`);
  return readDecision(executor, operationId, step);
};

/** A tool call with its result. */
export interface ToolCallRow {
  readonly callId: string;
  readonly step: number;
  readonly apiName: string;
  readonly kind: string;
  readonly arguments: unknown;
  readonly result: unknown;
}

/** The tool calls of a run, in order. */
export const readToolCalls = (executor: Executor, operationId: string): Promise<readonly ToolCallRow[]> =>
  readRows<ToolCallRow>(
    executor,
    sql`select call_id as "callId", step, api_name as "apiName", kind, arguments, result from agent_tool_calls
        where operation_id = ${operationId} order by place`,
  );

/** Makes a tool's effect and keeps its result in one transaction; a repeated call changes nothing. */
export const callTool = (
  db: Database,
  operationId: string,
  { effect, ...call }: Omit<ToolCallRow, 'result'> & { readonly effect: (tx: Transaction) => Promise<unknown> },
): Promise<void> =>
  inTransaction(db, async (tx) => {
    // Two attempts of one call are one after the other.
    await tx.execute(sql`select 1 from agent_operations where operation_id = ${operationId} for update`);
    const known = await readRows(tx, sql`select 1 from agent_tool_calls where operation_id = ${operationId} and call_id = ${call.callId}`);
    if (known.length > 0) return;
    const result = await effect(tx);
    await tx.execute(sql`
      insert into agent_tool_calls (operation_id, call_id, step, api_name, kind, arguments, result)
      values (${operationId}, ${call.callId}, ${call.step}, ${call.apiName}, ${call.kind}, ${JSON.stringify(call.arguments)}::jsonb, ${JSON.stringify(result)}::jsonb)`);
  });
