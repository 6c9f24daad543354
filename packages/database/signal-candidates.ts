import { inTransaction, readRows } from './database.ts';
import type { Database, Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** A candidate whose turn has not come by then is not taken up any more. */
const DAYS_PARKED = 7;

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
    where owner_id = ${ownerId} and message_id = ${messageId} and state = 'parked' and parked_at < now() - ${DAYS_PARKED} * interval '1 day'`);
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
