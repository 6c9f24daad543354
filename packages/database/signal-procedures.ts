import { readRow, readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** Whose procedure state, in which scope. */
export interface ProcedureScope {
  readonly ownerId: string;
  readonly scopeKey: string;
}

/** One entry: a marker that something was handled or scored, a record that counts towards a score, an intent, a receipt of a procedure. */
export interface ProcedureEntry {
  readonly kind: 'marker' | 'record' | 'receipt' | 'intent' | 'fact';
  readonly domain: string;
  readonly key: string;
  readonly score?: number;
  readonly data?: unknown;
}

const DAYS_KEPT = 7;

/** Keeps an entry for seven days; false where an active one of that key is there already. */
export const keepProcedure = async (executor: Executor, { ownerId, scopeKey }: ProcedureScope, entry: ProcedureEntry): Promise<boolean> =>
  (
    await executor.execute(sql`
      insert into signal_procedures as p (owner_id, scope_key, kind, domain, key, score, data, expires_at)
      values (${ownerId}, ${scopeKey}, ${entry.kind}, ${entry.domain}, ${entry.key}, ${entry.score ?? null}, ${JSON.stringify(entry.data ?? {})}::jsonb,
        now() + ${DAYS_KEPT} * interval '1 day')
      on conflict (owner_id, scope_key, kind, domain, key) do update set score = excluded.score, data = excluded.data, created_at = now(),
        expires_at = excluded.expires_at
      where p.expires_at <= now()`)
  ).rowCount === 1;

/** Whether an active marker of one of the keys is there. */
export const hasMarker = async (
  executor: Executor,
  { ownerId, scopeKey }: ProcedureScope,
  marker: { readonly domains: readonly string[]; readonly key: string },
): Promise<boolean> =>
  (
    await readRow<{ has: boolean }>(
      executor,
      sql`select exists (select 1 from signal_procedures where owner_id = ${ownerId} and scope_key = ${scopeKey} and kind = 'marker'
            and domain = any(${sql.param([...marker.domains])}::text[]) and key = ${marker.key} and expires_at > now()) as has`,
    )
  ).has;

/** Active records of a domain, oldest first. */
export const listRecords = (
  executor: Executor,
  { ownerId, scopeKey }: ProcedureScope,
  domain: string,
): Promise<readonly { readonly key: string; readonly score: number }[]> =>
  readRows(
    executor,
    sql`select key, score from signal_procedures
        where owner_id = ${ownerId} and scope_key = ${scopeKey} and kind = 'record' and domain = ${domain} and expires_at > now() order by created_at, key`,
  );

/** Keeps what a model answered in place of the agreed shape. */
export const storeDiagnostic = async (
  executor: Executor,
  {
    ownerId,
    scopeKey,
    sourceId,
    stage,
    reason,
    error,
  }: ProcedureScope & { readonly sourceId: string; readonly stage: string; readonly reason: string; readonly error: string },
): Promise<void> => {
  await executor.execute(sql`
    insert into signal_diagnostics (owner_id, scope_key, source_id, stage, reason, error) values (${ownerId}, ${scopeKey}, ${sourceId}, ${stage}, ${reason}, ${error})`);
};
