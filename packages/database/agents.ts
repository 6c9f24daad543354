import { readRow, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** Flag that lets a user's events become work. */
export const SELF_ITERATION_FLAG = 'enableAgentSelfIteration';

/** Who wants to use an agent. */
export interface AgentUse {
  readonly agentIds: readonly string[];
  readonly userId: string;
  readonly workspaceId?: string | undefined;
}

/** Those of the agents that are private to somebody else: neither the user's own nor of the workspace. */
export const findForbiddenAgents = async (executor: Executor, { agentIds, userId, workspaceId }: AgentUse): Promise<readonly string[]> => {
  if (agentIds.length === 0) return [];
  const rows = await readRows<{ readonly id: string }>(
    executor,
    sql`select id from agents where id = any(${sql.param([...agentIds])}::text[]) and is_private and user_id <> ${userId}
        and (workspace_id is null or workspace_id is distinct from ${workspaceId ?? null})`,
  );
  return rows.map(({ id }) => id);
};

/** A flag of a user; `fallback` where it has no row. */
export const readFlag = async (
  executor: Executor,
  { userId, flag, fallback }: { readonly userId: string; readonly flag: string; readonly fallback: boolean },
): Promise<boolean> =>
  (
    await readRow<{ isOn: boolean }>(
      executor,
      sql`select coalesce((select is_on from user_flags where user_id = ${userId} and flag = ${flag}), ${fallback}) as "isOn"`,
    )
  ).isOn;

/** Sets a flag of a user. */
export const writeFlag = async (
  executor: Executor,
  { userId, flag, isOn }: { readonly userId: string; readonly flag: string; readonly isOn: boolean },
): Promise<void> => {
  await executor.execute(sql`
    insert into user_flags (user_id, flag, is_on) values (${userId}, ${flag}, ${isOn})
    on conflict (user_id, flag) do update set is_on = excluded.is_on`);
};

/** An agent's switch for skills and self-iteration: the inbox is always on, an agent without a row, too. */
export const isSelfIterating = async (executor: Executor, agentId: string): Promise<boolean> =>
  (
    await readRow<{ isOn: boolean }>(
      executor,
      sql`select coalesce((select is_inbox or self_iteration from agents where id = ${agentId}), true) as "isOn"`,
    )
  ).isOn;
