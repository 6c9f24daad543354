import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { SourceEvent } from '../../packages/contracts/signal-events.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { ExecuteAnswer } from './execute.ts';
import { runInProcess } from './in-process.ts';
import type { InProcessHost } from './in-process.ts';
import type { MemoryInbox } from './memory-inbox.ts';
import type { RunOrder } from './start-run.ts';
import type { CausedEvent, EmitAnswer } from '../../packages/agent-signal/handler-context.ts';

/** An isolated run: a store of its own, no Postgres, no Temporal; product ports come with the handlers. */
export interface IsolatedRun {
  readonly inbox: MemoryInbox;
  readonly registry: HandlerRegistry;
  readonly limits: SignalLimits;
  /** Agent runs that actions ordered; they are recorded, not run. */
  readonly orders: RunOrder[];
  /** Events that handlers caused; recorded, too. */
  readonly caused: CausedEvent[];
}

const hostOf = ({ inbox, registry, limits, orders, caused }: IsolatedRun): InProcessHost => ({
  attempts: 1,
  signal: new AbortController().signal,
  deps: {
    store: inbox,
    registry,
    limits,
    emit: async (event): Promise<EmitAnswer> => {
      caused.push(event);
      return { accepted: true };
    },
    derive: async (event) => {
      caused.push(event);
      return 'elsewhere';
    },
    runs: { reserve: async (order) => `op-${orders.push(order)}` },
  },
  startRun: async () => undefined,
  keepStart: async (operationId) => {
    const order = orders[Number(operationId.slice('op-'.length)) - 1];
    return { detail: order?.run.detail ?? '', failureCode: order?.run.failureCode ?? '' };
  },
  settle: async ({ eventId }, outcome) => inbox.settle(eventId, outcome),
});

/** Runs an event over a given store and answers what came of it; the same event again is a duplicate. */
export const emitWithStore = async (isolated: IsolatedRun, event: SourceEvent): Promise<ExecuteAnswer> => {
  const { inbox, registry } = isolated;
  const { scopeKey, sourceId, sourceType } = event;
  const accepted = inbox.accept(event);
  if (accepted.kind === 'duplicate') return { deduped: true, reason: 'duplicate', scopeKey, sourceId, state: accepted.state };
  const { eventId } = accepted;
  const state = await runInProcess(hostOf(isolated), inbox.claim(eventId, registry));
  const outcome = inbox.outcomeOf(eventId);
  return {
    deduped: false,
    source: { sourceId, type: sourceType },
    trigger: { scopeKey, token: `trigger:${eventId}` },
    run: {
      status: outcome?.status ?? state ?? 'pending',
      ...(outcome?.reason === null || outcome?.reason === undefined ? {} : { reason: outcome.reason }),
      trace: inbox.trace(eventId),
    },
  };
};
