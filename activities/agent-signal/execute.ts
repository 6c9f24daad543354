import { randomUUID } from 'node:crypto';
import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { SourceEvent } from '../../packages/contracts/signal-events.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { KnownEvent } from '../../packages/contracts/known-event.ts';
import type { StepStore } from '../../packages/contracts/signal-store.ts';
import { consumeForOperation } from '../../packages/database/agent-operation-ends.ts';
import { acceptEvent } from '../../packages/database/signal-inbox.ts';
import { endLease, leaseEvent } from '../../packages/database/signal-lease.ts';
import { readEventState, readTrace } from '../../packages/database/signal-traces.ts';
import type { SignalTrace } from '../../packages/database/signal-traces.ts';
import { createDeriver } from './derive.ts';
import { createEmitter } from './emit.ts';
import { holdLease } from './hold-lease.ts';
import { runInProcess } from './in-process.ts';
import type { InProcessHost } from './in-process.ts';
import { createPostgresStore } from './postgres-store.ts';
import { sendWake } from './send-wake.ts';
import type { Waker } from './send-wake.ts';
import { settleHeld } from './settle-held.ts';
import { createRunOrders, readStartTexts } from './start-run.ts';

/** What a caller executes events with that owns their timing. */
export interface ExecuteDeps extends Waker {
  readonly registry: HandlerRegistry;
  readonly limits: SignalLimits;
  readonly isOnByDefault: boolean;
  /** Starts an agent run; one that ran already is joined. */
  readonly startRun: (operationId: string, taskQueue: string) => Promise<void>;
  /** Guards in another place than Postgres. */
  readonly guards?: Pick<StepStore, 'changeGuard'>;
}

/** What an execute answers. */
export type ExecuteAnswer =
  | KnownEvent
  | {
      readonly deduped: false;
      readonly source: { readonly sourceId: string; readonly type: string };
      readonly trigger: { readonly scopeKey: string; readonly token: string };
      readonly run: { readonly status: string; readonly reason?: string; readonly trace: SignalTrace };
    };

const hostOf = (deps: ExecuteDeps, signal: AbortSignal): InProcessHost => {
  const { db, limits, registry } = deps;
  return {
    attempts: limits.attempts,
    signal,
    deps: {
      store: { ...createPostgresStore(db, limits), ...deps.guards },
      registry,
      limits,
      emit: createEmitter(db, deps),
      derive: createDeriver(db, deps),
      runs: createRunOrders(db, limits),
    },
    startRun: (operationId) => deps.startRun(operationId, deps.taskQueue),
    keepStart: async (operationId, failure) => {
      if (failure === null) await consumeForOperation(db, operationId);
      return readStartTexts(db, operationId);
    },
    settle: ({ eventId, token }, outcome) => settleHeld(db, { eventId, token, outcome }),
  };
};

/** Runs an event under a lease on its scope; the scope's workflow claims nothing while it stands. */
const runLeased = async (
  deps: ExecuteDeps,
  event: SourceEvent,
  {
    eventId,
    scopeId,
    token,
    leaseToken,
  }: { readonly eventId: string; readonly scopeId: string; readonly token: number; readonly leaseToken: string },
): Promise<void> => {
  const { db, limits, registry } = deps;
  const lease = holdLease(db, { eventId, leaseToken, leaseMs: limits.leaseMs });
  try {
    const node = registry.refOfSource(event);
    await runInProcess(hostOf(deps, lease.signal), { eventId, token, sourceType: event.sourceType, sourceId: event.sourceId, node });
  } finally {
    lease.stop();
    if (await endLease(db, leaseToken)) await sendWake(deps, event, scopeId);
  }
};

/**
 * Executes an event now, in this process, by the same scheduler: for a worker that owns the moment. No feature gate. Where the scope is at work the row
 * stays for it, `scope_locked`; where it takes the event over, because the lease was lost, the run is `pending`.
 */
export const executeEvent = async (deps: ExecuteDeps, event: SourceEvent): Promise<ExecuteAnswer> => {
  const { scopeKey, sourceId, sourceType } = event;
  const accepted = await acceptEvent(deps.db, event, { limits: deps.limits });
  if (accepted.kind === 'refused') throw new Error(`the scope ${scopeKey} takes no event now: ${accepted.reason}`);
  if (accepted.kind === 'duplicate') return { deduped: true, reason: 'duplicate', scopeKey, sourceId, state: accepted.state };
  const { eventId, scopeId } = accepted;
  const leaseToken = randomUUID();
  const leased = await leaseEvent(deps.db, { eventId, leaseToken, leaseMs: deps.limits.leaseMs });
  if (leased === null) {
    // The scope may have claimed the event between the two halves of the lease.
    await endLease(deps.db, leaseToken);
    await sendWake(deps, event, scopeId);
    return { deduped: true, reason: 'scope_locked', scopeKey, sourceId, state: 'pending' };
  }
  await runLeased(deps, event, { eventId, scopeId, token: leased.token, leaseToken });
  const [{ outcome, reason }, trace] = await Promise.all([readEventState(deps.db, eventId), readTrace(deps.db, eventId)]);
  return {
    deduped: false,
    source: { sourceId, type: sourceType },
    trigger: { scopeKey, token: `trigger:${eventId}` },
    run: { status: outcome ?? 'pending', ...(reason === null ? {} : { reason }), trace },
  };
};
