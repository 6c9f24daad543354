import { inTransaction, readRow, readRows } from './database.ts';
import type { Database, Executor } from './database.ts';
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

/** A skill candidate of one user message, and the turn that it waits for. */
export interface CandidateKey {
  readonly ownerId: string;
  readonly messageId: string;
}

/** What resuming a candidate finds; null: nothing is parked, or not any more. */
export type Resumed = { readonly candidate: Readonly<Record<string, unknown>>; readonly turn: Readonly<Record<string, unknown>> } | null;

/** Takes a parked candidate up if its turn is complete. Whichever of the two comes second acts, once; a repeated try finds it again until it is consumed. */
const resume = async (executor: Executor, { ownerId, messageId }: CandidateKey): Promise<Resumed> => {
  await executor.execute(sql`
    update signal_candidates set state = 'expired'
    where owner_id = ${ownerId} and message_id = ${messageId} and state = 'parked' and parked_at < now() - ${DAYS_KEPT} * interval '1 day'`);
  const [resumed] = await readRows<NonNullable<Resumed>>(
    executor,
    sql`update signal_candidates c set state = 'resuming' from signal_turns t
        where c.owner_id = ${ownerId} and c.message_id = ${messageId} and c.state in ('parked', 'resuming') and t.owner_id = c.owner_id and t.message_id = c.message_id
        returning c.candidate, t.turn`,
  );
  return resumed ?? null;
};

/** Parks a candidate; answers it at once where its turn is complete. */
export const parkCandidate = (db: Database, key: CandidateKey, candidate: object): Promise<Resumed> =>
  inTransaction(db, async (tx) => {
    await tx.execute(sql`
      insert into signal_candidates (owner_id, message_id, state, candidate) values (${key.ownerId}, ${key.messageId}, 'parked', ${JSON.stringify(candidate)}::jsonb)
      on conflict (owner_id, message_id) do nothing`);
    return resume(tx, key);
  });

/** Notes that a turn is complete; answers the candidate that waited for it. */
export const completeTurn = (db: Database, key: CandidateKey, turn: object): Promise<Resumed> =>
  inTransaction(db, async (tx) => {
    await tx.execute(sql`
      insert into signal_turns (owner_id, message_id, turn) values (${key.ownerId}, ${key.messageId}, ${JSON.stringify(turn)}::jsonb)
      on conflict (owner_id, message_id) do update set turn = excluded.turn, completed_at = now()`);
    return resume(tx, key);
  });
