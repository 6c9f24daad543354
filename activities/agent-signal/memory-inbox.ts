import { compact } from '../../packages/agent-signal/compact.ts';
import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { ClaimedEvent } from '../../packages/contracts/signal-activities.ts';
import type { SourceEvent } from '../../packages/contracts/signal-events.ts';
import type { EventOutcome, EventState } from '../../packages/contracts/signal-run.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import { stateOf } from '../../packages/contracts/signal-run.ts';
import type { ActionRequest, ActionSettlement, NodeRow, Reservation } from '../../packages/contracts/signal-records.ts';
import type { StepRecord, StepStore } from '../../packages/contracts/signal-store.ts';
import type { SignalTrace } from '../../packages/database/signal-traces.ts';

interface MemoryEvent {
  readonly eventId: string;
  readonly event: SourceEvent;
  state: EventState;
  token: number;
  outcome: EventOutcome | null;
  readonly nodes: Map<string, NodeRow>;
  readonly results: Map<string, StepRecord>;
}

/** An inbox with its nodes, guards and action keys, kept in memory while it lives: for isolated runs, tests and evals. */
export interface MemoryInbox extends StepStore {
  /** Takes an event; one that is known answers its state, a failed one is opened again. */
  accept(event: SourceEvent): { readonly kind: 'accepted' | 'duplicate'; readonly eventId: string; readonly state: EventState };
  claim(eventId: string, registry: HandlerRegistry): ClaimedEvent;
  settle(eventId: string, outcome: EventOutcome): EventState;
  outcomeOf(eventId: string): EventOutcome | null;
  trace(eventId: string): SignalTrace;
}

const keyOf = (nodeId: string, handlerId: string): string => `${nodeId}\n${handlerId}`;

const loadedOf = (
  { event, state, token, nodes, results }: MemoryEvent,
  wanted: { readonly token: number; readonly nodeId: string; readonly handlerId: string },
) => ({
  isHeld: state === 'processing' && token === wanted.token,
  scopeId: `${event.ownerId}\n${event.scopeKey}`,
  ownerId: event.ownerId,
  scopeKey: event.scopeKey,
  sourceType: event.sourceType,
  sourceId: event.sourceId,
  payload: event.payload,
  context: compact({ userId: event.userId, agentId: event.agentId, workspaceId: event.workspaceId, timestamp: event.timestamp }),
  cause: event.cause ?? null,
  pauses: 0,
  hops: 0,
  node: nodes.get(wanted.nodeId)?.node ?? null,
  answer: results.get(keyOf(wanted.nodeId, wanted.handlerId))?.answer ?? null,
});

const traceOf = ({ nodes, results }: MemoryEvent): SignalTrace => ({
  nodes: [...nodes.values()],
  results: [...results.values()].map(({ nodeId, handlerId, answer, result, attempt, startedAt }) => ({
    nodeId,
    handlerId,
    answer,
    result,
    attempt,
    startedAt,
    completedAt: startedAt,
  })),
});

/** Settles an event in memory; timers are not kept: what waits is over with its process. */
const settleIn = (found: MemoryEvent, outcome: EventOutcome): EventState => {
  found.outcome = outcome;
  found.state = stateOf(outcome);
  return found.state;
};

interface MemoryAction extends Pick<ActionRequest, 'eventId' | 'nodeId'> {
  readonly epoch: number;
  readonly reservedAtMs: number;
  state: 'reserved' | ActionSettlement['state'];
}

type Actions = Map<string, MemoryAction>;

const nameOf = ({ ownerId, key }: { readonly ownerId: string; readonly key: string }): string => `${ownerId}\n${key}`;

const isOf = (row: MemoryAction, { eventId, nodeId }: Pick<ActionRequest, 'eventId' | 'nodeId'>): boolean =>
  row.eventId === eventId && row.nodeId === nodeId;

/** Keeps a step's record, unless another claim holds the event; answers the event's state then. */
const storeIn = (found: MemoryEvent, actions: Actions, record: StepRecord): EventState | null => {
  if (found.token !== record.token || found.state !== 'processing') return null;
  found.results.set(keyOf(record.nodeId, record.handlerId), record);
  for (const node of record.nodes) if (!found.nodes.has(node.nodeId)) found.nodes.set(node.nodeId, node);
  const { action } = record;
  const row = action === null ? undefined : actions.get(nameOf(action));
  if (action !== null && row?.state === 'reserved' && isOf(row, record)) row.state = action.state;
  return record.outcome === null ? found.state : settleIn(found, record.outcome);
};

/** Reserves a key by the rules of Postgres: what is applied stays so, what another live event holds is in flight until its time is over. */
const reserveIn = (
  { actions, events }: { readonly actions: Actions; readonly events: ReadonlyMap<string, MemoryEvent> },
  request: ActionRequest,
): Reservation => {
  const { eventId, nodeId, holdMs } = request;
  const row = actions.get(nameOf(request));
  const reservedAtMs = Date.now();
  if (row?.state === 'applied') return { kind: 'applied' };
  if (row?.state === 'reserved' && !isOf(row, request)) {
    const holder = events.get(row.eventId)?.state;
    const isLive = holder === 'processing' || holder === 'waiting';
    if (isLive && row.reservedAtMs >= reservedAtMs - holdMs) return { kind: 'inFlight' };
  }
  const epoch = (row?.epoch ?? 1) + (row?.state === 'failed' ? 1 : 0);
  actions.set(nameOf(request), { state: 'reserved', epoch, eventId, nodeId, reservedAtMs });
  return { kind: 'reserved', epoch, operationId: null };
};

interface MemoryGuard {
  readonly state: object;
  readonly expiresAtMs: number;
}

/** Guards in the order in which they expire: each change puts a guard last, and forgets those that are over. */
const createMemoryGuards = (ttlMs: number): Pick<StepStore, 'changeGuard'> => {
  const guards = new Map<string, MemoryGuard>();
  return {
    changeGuard: async ({ scopeId, key }, step) => {
      const nowMs = Date.now();
      for (const [name, { expiresAtMs }] of guards) {
        if (expiresAtMs > nowMs) break;
        guards.delete(name);
      }
      const name = `${scopeId}\n${key}`;
      const { state, answer } = step(guards.get(name)?.state ?? null, nowMs);
      guards.delete(name);
      guards.set(name, { state, expiresAtMs: nowMs + ttlMs });
      return answer;
    },
  };
};

/** Keeps an event under its identity; one that has failed is opened again. */
const acceptIn = (events: Map<string, MemoryEvent>, byIdentity: Map<string, MemoryEvent>, event: SourceEvent): ReturnType<MemoryInbox['accept']> => {
  const identity = JSON.stringify([event.ownerId, event.scopeKey, event.sourceType, event.sourceId]);
  const known = byIdentity.get(identity);
  if (known !== undefined && known.state !== 'failed') return { kind: 'duplicate', eventId: known.eventId, state: known.state };
  const found = known ?? {
    eventId: String(events.size + 1),
    event,
    state: 'pending' as const,
    token: 0,
    outcome: null,
    nodes: new Map(),
    results: new Map(),
  };
  found.state = 'pending';
  events.set(found.eventId, found);
  byIdentity.set(identity, found);
  return { kind: 'accepted', eventId: found.eventId, state: 'pending' };
};

/** Creates an empty one. */
export const createMemoryInbox = ({ guardTtlMs }: Pick<SignalLimits, 'guardTtlMs'> = SIGNAL_LIMITS): MemoryInbox => {
  const events = new Map<string, MemoryEvent>();
  const byIdentity = new Map<string, MemoryEvent>();
  const actions: Actions = new Map();
  const require = (eventId: string): MemoryEvent => {
    const found = events.get(eventId);
    if (found === undefined) throw new Error(`no event ${eventId} in this store`);
    return found;
  };
  return {
    accept: (event) => acceptIn(events, byIdentity, event),
    claim: (eventId, registry) => {
      const found = require(eventId);
      found.state = 'processing';
      found.token++;
      const { sourceType, sourceId } = found.event;
      return { eventId, token: found.token, sourceType, sourceId, node: registry.refOfSource(found.event) };
    },
    settle: (eventId, outcome) => settleIn(require(eventId), outcome),
    outcomeOf: (eventId) => require(eventId).outcome,
    trace: (eventId) => traceOf(require(eventId)),
    load: async (wanted) => {
      const found = events.get(wanted.eventId);
      return found === undefined ? undefined : loadedOf(found, wanted);
    },
    store: async (record) => storeIn(require(record.eventId), actions, record),
    reserve: async (request) => reserveIn({ actions, events }, request),
    ...createMemoryGuards(guardTtlMs),
  };
};
