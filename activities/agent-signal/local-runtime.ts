import { parseEvent } from '../../packages/agent-signal/events.schema.ts';
import type { Caller, Door } from '../../packages/agent-signal/events.schema.ts';
import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { InputProblem } from '../../packages/contracts/failures.ts';
import type { EventState } from '../../packages/contracts/signal-run.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import { runInProcess } from './in-process.ts';
import type { InProcessHost } from './in-process.ts';
import { createMemoryInbox } from './memory-inbox.ts';
import type { MemoryInbox } from './memory-inbox.ts';
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

const SERVER = { door: 'server', caller: { kind: 'service' } } as const;

interface HostParts extends Pick<LocalDeps, 'registry' | 'limits' | 'runAgent'> {
  readonly inbox: MemoryInbox;
  readonly enqueue: (body: object) => LocalAnswer;
  /** Lets work go on beside what waits for it. */
  readonly aside: (work: Promise<unknown>) => void;
}

/** What the steps of an event find in this process. */
const createLocalHost = ({ inbox, registry, limits, runAgent, enqueue, aside }: HostParts): InProcessHost => {
  /** Ordered and not yet started. */
  const orders = new Map<string, RunOrder>();
  let ordered = 0;
  const deps: StepDeps = {
    store: inbox,
    registry,
    limits,
    emit: async (event, from) => {
      const answer = enqueue({ scopeKey: from.scopeKey, ...event, ...from.context });
      return { accepted: answer.accepted };
    },
    derive: async (event, from) => {
      enqueue({ ...event, ...from.context });
      return 'elsewhere';
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
    startRun: async (operationId) => aside(runAgent(orders.get(operationId) as RunOrder, operationId)),
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
  const chains = new Map<string, Promise<unknown>>();
  const background = new Set<Promise<unknown>>();
  const aside = (work: Promise<unknown>): void => {
    const kept = work.catch(onError).finally(() => void background.delete(kept));
    background.add(kept);
  };
  const host = createLocalHost({ inbox, registry, limits, runAgent, aside, enqueue: (body) => runtime.enqueue(body, SERVER) });
  const runtime: LocalRuntime = {
    inbox,
    enqueue: (body, sender) => {
      const parsed = parseEvent(body, { ...sender, limits });
      if (!parsed.ok) return { accepted: false, problems: parsed.problems };
      const { ownerId, scopeKey, sourceId } = parsed.event;
      const named = { accepted: true, scopeKey, workflowRunId: `local-${sourceId}`, sourceId } as const;
      const accepted = inbox.accept(parsed.event);
      if (accepted.kind === 'duplicate') return { ...named, deduped: true, state: accepted.state };
      const scope = `${ownerId}\n${scopeKey}`;
      const before = chains.get(scope) ?? new Promise((resolve) => setImmediate(resolve));
      const next = before.then(() => runInProcess(host, inbox.claim(accepted.eventId, registry))).catch(onError);
      chains.set(scope, next);
      return named;
    },
    idle: async () => {
      for (let open = [...chains.values(), ...background]; ; open = [...chains.values(), ...background]) {
        await Promise.all(open);
        if (background.size === 0 && [...chains.values()].every((chain) => open.includes(chain))) return;
      }
    },
  };
  return runtime;
};
