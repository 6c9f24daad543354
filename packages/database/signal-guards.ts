import { sql } from './drizzle.ts';
import { inTransaction, readRow } from './database.ts';
import type { Database } from './database.ts';

/** A step of a guard: the state it finds (null: none, or expired) and the database's clock, ms. */
type GuardStep<T> = (state: object | null, nowMs: number) => { readonly state: object; readonly answer: T };

/** Changes a guard of a scope in one transaction, on the database's clock. */
export const changeGuard = <T>(
  db: Database,
  { scopeId, key, ttlMs }: { readonly scopeId: string; readonly key: string; readonly ttlMs: number },
  step: GuardStep<T>,
): Promise<T> =>
  inTransaction(db, async (tx) => {
    // One statement makes the row, locks it and reads it: two calls at the same time are one after the other, and no expiry comes between.
    const found = await readRow<{ readonly state: object; readonly isLive: boolean; readonly now: number }>(
      tx,
      sql`
      insert into signal_guards as g (scope_id, key, state, expires_at) values (${scopeId}::bigint, ${key}, '{}', now())
      on conflict (scope_id, key) do update set state = g.state
      returning state, expires_at > clock_timestamp() as "isLive", (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    const { state, answer } = step(found.isLive ? found.state : null, found.now);
    await tx.execute(sql`
      update signal_guards set state = ${JSON.stringify(state)}::jsonb, expires_at = clock_timestamp() + ${ttlMs} * interval '1 ms'
      where scope_id = ${scopeId}::bigint and key = ${key}`);
    return answer;
  });
