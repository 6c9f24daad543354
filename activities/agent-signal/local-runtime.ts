import type { Caller } from '../../packages/agent-signal/caller.ts';
import { parseEvent } from '../../packages/agent-signal/events.schema.ts';
import type { Door } from '../../packages/agent-signal/events.schema.ts';
import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { InputProblem } from '../../packages/contracts/failures.ts';
import type { SourceEvent } from '../../packages/contracts/signal-events.ts';
import type { EventState } from '../../packages/contracts/signal-run.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import { eventOfDerived, parseCaused } from './follow-ups.ts';
import { runInProcess } from './in-process.ts';
import type { InProcessHost } from './in-process.ts';
import { createMemoryInbox } from './memory-inbox.ts';
import type { MemoryInbox } from './memory-inbox.ts';
import { createProcessWork } from './process-work.ts';
import type { ProcessWork } from './process-work.ts';
import type { RunOrder } from './start-run.ts';
import type { StepDeps } from './step.ts';

/** What delivery in this process needs; product ports come with the handlers. */
export interface LocalDeps {
  readonly registry: HandlerRegistry;
  readonly limits: SignalLimits;
  /** Runs an ordered agent run beside its scope. */
  readonly runAgent: (order: RunOrder, operationId: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** What an enqueue answers in local mode. */
export type LocalAnswer =
  | {
      readonly accepted: true;
      readonly scopeKey: string;
      readonly workflowRunId: string;
      readonly sourceId: string;
      readonly deduped?: true;
      readonly state?: EventState;
    }
  | { readonly accepted: false; readonly problems: readonly InputProblem[] };

/** Delivery in one process: no durability, no retry; it ends with the process. Scopes are serial, dedupe and keys hold while it lives. */
export interface LocalRuntime {
  readonly inbox: MemoryInbox;
  /** Answers before anything runs. */
  enqueue(body: unknown, sender: { readonly door: Door; readonly caller: Caller }): LocalAnswer;
  /** Resolves when everything accepted so far has run. */
  idle(): Promise<void>;
}

interface HostParts extends Pick<LocalDeps, 'registry' | 'limits' | 'runAgent'> {
  readonly inbox: MemoryInbox;
  readonly work: ProcessWork;
  /** Puts an event at the end of its scope's line. */
  readonly queue: (event: SourceEvent) => void;
  /** Puts one right behind an event of its scope. */
  readonly follow: (eventId: string, event: SourceEvent) => void;
}

/** What the steps of an event find in this process. */
const createLocalHost = ({ inbox, registry, limits, runAgent, work, queue, follow }: HostParts): InProcessHost => {
  /** Ordered and not yet started. */
  const orders = new Map<string, RunOrder>();
  let ordered = 0;
  const deps: StepDeps = {
    store: inbox,
    registry,
    limits,
    emit: async (event, from) => {
      const parsed = parseCaused(event, from, limits);
      if (!parsed.ok) return { accepted: false, reason: parsed.problems[0]?.code ?? parsed.type };
      queue(parsed.event);
      return { accepted: true };
    },
    derive: async (derived, from, eventId) => {
      const event = eventOfDerived(derived, from);
      if (derived.scopeKey !== from.scopeKey) {
        queue(event);
        return 'elsewhere';
      }
      follow(eventId, event);
      return 'next';
    },
    runs: {
      reserve: async (order) => {
        const operationId = `op-local-${++ordered}`;
        orders.set(operationId, order);
        return operationId;
      },
    },
  };
  return {
    attempts: 1,
    signal: new AbortController().signal,
    deps,
    startRun: async (operationId) => work.aside(runAgent(orders.get(operationId) as RunOrder, operationId)),
    keepStart: async (operationId) => {
      const { run } = orders.get(operationId) as RunOrder;
      orders.delete(operationId);
      return { detail: run.detail, failureCode: run.failureCode };
    },
    settle: async ({ eventId }, outcome) => inbox.settle(eventId, outcome),
  };
};

/** Creates it over an inbox of its own. */
export const createLocalRuntime = ({ registry, limits, runAgent, onError }: LocalDeps): LocalRuntime => {
  const inbox = createMemoryInbox(limits);
  const work = createProcessWork(onError);
  const followers = new Map<string, string[]>();
  const run = async (eventId: string): Promise<void> => {
    await runInProcess(host, inbox.claim(eventId, registry)).catch(onError);
    const next = followers.get(eventId) ?? [];
    followers.delete(eventId);
    for (const each of next) await run(each);
  };
  const queue = (event: SourceEvent): ReturnType<MemoryInbox['accept']> => {
    const accepted = inbox.accept(event);
    if (accepted.kind === 'accepted') work.inTurn(`${event.ownerId}\n${event.scopeKey}`, () => run(accepted.eventId));
    return accepted;
  };
  const follow = (eventId: string, event: SourceEvent): void => {
    const accepted = inbox.accept(event);
    if (accepted.kind === 'accepted') followers.set(eventId, [...(followers.get(eventId) ?? []), accepted.eventId]);
  };
  const host = createLocalHost({ inbox, registry, limits, runAgent, work, queue, follow });
  return {
    inbox,
    enqueue: (body, sender) => {
      const parsed = parseEvent(body, { ...sender, limits });
      if (!parsed.ok) return { accepted: false, problems: parsed.problems };
      const { scopeKey, sourceId } = parsed.event;
      const named = { accepted: true, scopeKey, workflowRunId: `local-${sourceId}`, sourceId } as const;
      const { kind, state } = queue(parsed.event);
      return kind === 'duplicate' ? { ...named, deduped: true, state } : named;
    },
    idle: work.idle,
  };
};
