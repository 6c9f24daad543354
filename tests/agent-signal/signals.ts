import { randomBytes } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { ScopeStatus } from '../../packages/contracts/agent-signal-scope.ts';
import { scopeWorkflowId } from '../../packages/contracts/scope-identity.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { readRows } from '../../packages/database/database.ts';
import { readScopeStatus } from '../../packages/database/signal-status.ts';
import { findEvents, readTrace } from '../../packages/database/signal-traces.ts';
import type { SignalTrace, TracedEvent } from '../../packages/database/signal-traces.ts';
import type { EmitAnswer, EnqueueAnswer } from '../../packages/runtime/signal-answers.ts';
import { enqueueEvent } from '../../packages/runtime/signal-doors.ts';
import type { Sender, SignalDoorDeps } from '../../packages/runtime/signal-doors.ts';
import { emitEvent } from '../../packages/runtime/signal-emit.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import type { Rig } from '../../packages/testing/rig.ts';

/** An event of the probe policy. */
export const probeEvent = (sourceId: string, payload: object = {}, more: object = {}) => ({
  sourceType: 'probe.event',
  sourceId,
  payload,
  scopeKey: 'topic:t1',
  ...more,
});

/** What tests of scopes do: events go in by the doors, rows tell what became of them. */
export interface Signals {
  /** User and owner of the test: agent runs are named after them, and ended ones are known in the namespace. */
  readonly user: string;
  readonly deps: SignalDoorDeps;
  enqueue(body: unknown, sender?: Sender): Promise<EnqueueAnswer>;
  emit(body: unknown, sender?: Sender): Promise<EmitAnswer | undefined>;
  status(scopeKey?: string, ownerId?: string): Promise<ScopeStatus | null>;
  /** Waits until so many events of the scope have ended, done or failed. */
  ended(count: number, scopeKey?: string): Promise<ScopeStatus>;
  event(sourceId: string, scopeKey?: string): Promise<TracedEvent>;
  trace(sourceId: string): Promise<SignalTrace>;
  /** Source ids in the order in which their events ended. */
  endOrder(scopeKey?: string): Promise<readonly string[]>;
  count(table: string): Promise<number>;
  /** Handle of a scope's workflow. */
  scope(scopeKey?: string): WorkflowHandle;
}

/** Makes the helpers over a rig. */
export const createSignals = (rig: Rig, limits: Partial<SignalLimits> = {}): Signals => {
  const { client, db, taskQueue } = rig;
  const deps: SignalDoorDeps = { client, db, taskQueue, limits: { ...SIGNAL_LIMITS, ...limits }, isOnByDefault: true };
  const user = `u-${randomBytes(4).toString('hex')}`;
  const service: Sender = { door: 'server', caller: { kind: 'service', userId: user } };
  const status = (scopeKey = 'topic:t1', ownerId = user) => readScopeStatus(db, { ownerId, scopeKey });
  const event = async (sourceId: string, scopeKey?: string): Promise<TracedEvent> => {
    const [found] = await findEvents(db, { ownerId: user, sourceId, scopeKey });
    if (found === undefined) throw new Error(`no event ${sourceId}`);
    return found;
  };
  return {
    user,
    deps,
    enqueue: (body, sender = service) => enqueueEvent(deps, body, sender),
    emit: (body, sender = service) => emitEvent(deps, body, sender),
    status,
    ended: async (count, scopeKey = 'topic:t1') => {
      let now: ScopeStatus | null = null;
      await waitUntil({
        what: `${count} events of ${scopeKey} ended`,
        timeoutMs: 120_000,
        probe: async () => {
          now = await status(scopeKey);
          return now !== null && now.done + now.failed >= count;
        },
      });
      return now as unknown as ScopeStatus;
    },
    event,
    trace: async (sourceId) => readTrace(db, (await event(sourceId)).eventId),
    endOrder: async (scopeKey = 'topic:t1') =>
      (
        await readRows<{ id: string }>(
          db,
          sql`select e.source_id as id from signal_events e join signal_scopes s on s.id = e.scope_id
              where s.owner_id = ${user} and s.scope_key = ${scopeKey} and e.finished_at is not null order by e.finished_at, e.seq`,
        )
      ).map(({ id }) => id),
    scope: (scopeKey = 'topic:t1') => client.workflow.getHandle(scopeWorkflowId({ ownerId: user, scopeKey })),
    count: async (table) => (await readRows<{ n: number }>(db, sql`select count(*)::int as n from ${sql.identifier(table)}`))[0]?.n ?? 0,
  };
};
