import type { ActionRequest, Reservation } from '../contracts/signal-records.ts';
import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRow, readRows } from './database.ts';

/** Reserves an idempotency key before the call, in one statement; what was applied under it stays so, what failed is opened again. */
export const reserveAction = async (executor: Executor, { ownerId, key, eventId, nodeId, holdMs }: ActionRequest): Promise<Reservation> => {
  const [reserved] = await readRows<{ readonly epoch: number; readonly operationId: string | null }>(
    executor,
    sql`
    insert into signal_actions as a (owner_id, key, state, event_id, node_id) values (${ownerId}, ${key}, 'reserved', ${eventId}::bigint, ${nodeId})
    on conflict (owner_id, key) do update set state = 'reserved', reserved_at = now(), settled_at = null, detail = null,
      epoch = a.epoch + (a.state = 'failed')::int,
      operation_id = case when a.state = 'reserved' and a.event_id = excluded.event_id and a.node_id = excluded.node_id then a.operation_id end,
      event_id = excluded.event_id, node_id = excluded.node_id
    where a.state in ('failed', 'skipped') or (a.state = 'reserved' and (
      (a.event_id = excluded.event_id and a.node_id = excluded.node_id)
      or a.reserved_at < now() - ${holdMs} * interval '1 ms'
      or not exists (select 1 from signal_events e where e.id = a.event_id and e.state in ('processing', 'waiting'))))
    returning epoch, operation_id as "operationId"`,
  );
  if (reserved !== undefined) return { kind: 'reserved', ...reserved };
  const { state } = await readRow<{ readonly state: string }>(
    executor,
    sql`select state from signal_actions where owner_id = ${ownerId} and key = ${key}`,
  );
  return { kind: state === 'applied' ? 'applied' : 'inFlight' };
};

/** Writes the row of the `probe` policy's action; false where it was there. */
export const writeProbe = async (
  executor: Executor,
  probe: { readonly ownerId: string; readonly key: string; readonly eventId: string },
): Promise<boolean> =>
  (
    await executor.execute(sql`
      insert into signal_probes (owner_id, key, event_id) values (${probe.ownerId}, ${probe.key}, ${probe.eventId}::bigint) on conflict do nothing`)
  ).rowCount === 1;
