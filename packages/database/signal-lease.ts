import { readRows } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';

/** Takes a scope and one of its events for a caller, if nothing is under way in it and no earlier event waits; null: somebody else has it. */
export const leaseEvent = async (
  executor: Executor,
  { eventId, leaseToken, leaseMs }: { readonly eventId: string; readonly leaseToken: string; readonly leaseMs: number },
): Promise<{ readonly token: number } | null> => {
  const [leased] = await readRows<{ token: number }>(
    executor,
    sql`
    with scope as (
      update signal_scopes s set lease_token = ${leaseToken}, lease_until = now() + ${leaseMs} * interval '1 ms'
      from signal_events e
      where e.id = ${eventId}::bigint and s.id = e.scope_id and e.state = 'pending' and (s.lease_until is null or s.lease_until < now())
        and not exists (select 1 from signal_events o where o.scope_id = s.id and (o.state = 'processing' or (o.state = 'pending' and o.seq < e.seq)))
      returning s.id
    )
    update signal_events e set state = 'processing', token = e.token + 1, run_id = ${`lease:${leaseToken}`}, started_at = coalesce(e.started_at, now())
    from scope where e.id = ${eventId}::bigint and e.state = 'pending' returning e.token`,
  );
  return leased ?? null;
};

/** Keeps a lease for as long again; false: it is over, or another's by now. */
export const renewLease = async (
  executor: Executor,
  { leaseToken, leaseMs }: { readonly leaseToken: string; readonly leaseMs: number },
): Promise<boolean> => {
  const { rowCount } = await executor.execute(sql`
    update signal_scopes set lease_until = now() + ${leaseMs} * interval '1 ms' where lease_token = ${leaseToken} and lease_until > now()`);
  return rowCount === 1;
};

/** Gives a lease back: no wake was sent for its event. Answers whether anything is left to do in its scope, be it the event that its holder could not end. */
export const endLease = async (executor: Executor, leaseToken: string): Promise<boolean> => {
  const [ended] = await readRows<{ hasMore: boolean }>(
    executor,
    sql`update signal_scopes s set lease_token = null, lease_until = null, wake_at = null where s.lease_token = ${leaseToken}
        returning exists (select 1 from signal_events e where e.scope_id = s.id and e.state in ('pending', 'processing'))
          or exists (select 1 from signal_timers t where t.scope_id = s.id and t.state = 'open') as "hasMore"`,
  );
  return ended?.hasMore ?? false;
};
