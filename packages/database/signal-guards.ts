import { sql } from './drizzle.ts';
import { inTransaction, readRow, readRows } from './database.ts';
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
    // The row must be there to be locked: two calls at the same time are one after the other.
    await tx.execute(sql`
      insert into signal_guards (scope_id, key, state, expires_at) values (${scopeId}::bigint, ${key}, '{}', now()) on conflict do nothing`);
    const [row] = await readRows<{ readonly state: object; readonly live: boolean }>(
      tx,
      sql`select state, expires_at > clock_timestamp() as live from signal_guards where scope_id = ${scopeId}::bigint and key = ${key} for update`,
    );
    const { now } = await readRow<{ now: number }>(tx, sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`);
    const { state, answer } = step(row?.live === true ? row.state : null, now);
    await tx.execute(sql`
      update signal_guards set state = ${JSON.stringify(state)}::jsonb, expires_at = clock_timestamp() + ${ttlMs} * interval '1 ms'
      where scope_id = ${scopeId}::bigint and key = ${key}`);
    return answer;
  });
