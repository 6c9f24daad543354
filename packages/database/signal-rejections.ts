import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import { isoText, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** Why something that came by signal is no event. */
export interface Rejection {
  readonly reason: string;
  readonly path: string;
  /** How it began, ≤ 200 characters. */
  readonly excerpt: string;
}

/** Stores a rejection; run and place name it, so that a repeated call stores it once. */
export const storeRejection = async (
  executor: Executor,
  { ownerId, scopeKey, runId, place, reason, path, excerpt }: Rejection & ScopeIdentity & { readonly runId: string; readonly place: number },
): Promise<void> => {
  await executor.execute(sql`
    insert into signal_rejections (owner_id, scope_key, run_id, place, reason, path, excerpt)
    values (${ownerId}, ${scopeKey}, ${runId}, ${place}, ${reason}, ${path}, ${excerpt}) on conflict do nothing`);
};

/** A scope's newest rejections, newest first. */
export const listRejections = (
  executor: Executor,
  { ownerId, scopeKey }: ScopeIdentity,
  limit: number,
): Promise<readonly (Rejection & { readonly rejectedAt: string })[]> =>
  readRows(
    executor,
    sql`select reason, path, excerpt, ${isoText(sql`rejected_at`)} as "rejectedAt" from signal_rejections
        where owner_id = ${ownerId} and scope_key = ${scopeKey} order by id desc limit ${limit}`,
  );
