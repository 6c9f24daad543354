import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRows } from './database.ts';

/** Those of the given workers whose lease holds now. */
export const readLiveWorkers = async (executor: Executor, identities: readonly string[]): Promise<ReadonlySet<string>> => {
  if (identities.length === 0) return new Set();
  const rows = await readRows<{ identity: string }>(
    executor,
    sql`select identity from worker_leases where identity = any(${sql.param([...identities])}::text[]) and lease_until > now()`,
  );
  return new Set(rows.map(({ identity }) => identity));
};
