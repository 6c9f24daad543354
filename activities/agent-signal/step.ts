import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import type { CausedEvent, EmitAnswer, HandlerContext } from '../../packages/agent-signal/handler-context.ts';
import { createGuards } from '../../packages/agent-signal/guards.ts';
import type { GuardState } from '../../packages/agent-signal/guards.ts';
import { createSource } from '../../packages/agent-signal/builders.ts';
import type { AgentSignalNode, SourceNode } from '../../packages/agent-signal/nodes.ts';
import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import { applyAnswer, outcomeOf } from '../../packages/agent-signal/scheduler.ts';
import { nextStep, resumeRun } from '../../packages/agent-signal/event-run.ts';
import { toStorable } from '../../packages/contracts/json-value.ts';
import type { StepRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { EventOutcome } from '../../packages/contracts/signal-run.ts';
import type { LoadedStep, StepRecord, StepStore } from '../../packages/contracts/signal-store.ts';
import type { ActionSettlement } from '../../packages/contracts/signal-records.ts';
import type { DerivedEvent } from '../../packages/agent-signal/results.ts';
import type { RunOrders } from './start-run.ts';
import type { Answered } from './step-answers.ts';
import { ClaimLost } from './step-errors.ts';

/** What the steps of events are made with, whoever hosts them. */
export interface StepDeps {
  readonly store: StepStore;
  readonly registry: HandlerRegistry;
  readonly limits: SignalLimits;
  /** Makes an event durable that a handler causes. */
  readonly emit: (event: CausedEvent, from: LoadedStep) => Promise<EmitAnswer>;
  /** Keeps an event that a handler derives from its own; where it is to run next, says so. */
  readonly derive: (event: DerivedEvent, from: LoadedStep, eventId: string) => Promise<'next' | 'elsewhere'>;
  /** Where actions order agent runs. */
  readonly runs: RunOrders;
}

/** One attempt of a call. */
export interface StepAttempt {
  readonly attempt: number;
  /** A failure of this attempt is not retried. */
  readonly isFinal: boolean;
  readonly signal: AbortSignal;
}

/** A call in progress. */
export interface Call<Node extends AgentSignalNode = AgentSignalNode> extends StepAttempt {
  readonly deps: StepDeps;
  readonly request: StepRequest;
  readonly step: LoadedStep;
  readonly handler: HandlerDefinition;
  readonly node: Node;
  readonly startedAt: string;
  /** What the handler leaves in the trace. */
  readonly notes: string[];
}

const sourceOf = ({ sourceId, sourceType, payload }: LoadedStep): SourceNode => createSource({ sourceId, type: sourceType, payload: payload ?? {} });

/** What the handler of a call is given. */
export const contextOf = ({ deps, request, step, node, attempt, signal, notes }: Call): HandlerContext => {
  const { scopeId, ownerId, scopeKey, context } = step;
  const guards = createGuards({
    change: (key, change) => deps.store.changeGuard({ scopeId, key }, (state, nowMs) => change(state as GuardState | null, nowMs)),
  });
  return {
    node,
    source: sourceOf(step),
    scope: { ownerId, scopeKey, ...context },
    eventId: request.eventId,
    attempt,
    isResumed: request.timerId !== undefined,
    guards,
    note: (text) => void notes.push(toStorable(text)),
    signal,
    emit: (event) => deps.emit(event, step),
  };
};

/** How the event ends if this answer is its last; null: there is more to be done. */
const endOf = ({ isLast, summary, handlerId, node }: StepRequest, { answer }: Answered, { limits }: StepDeps): EventOutcome | null => {
  if (!isLast || answer.status === 'start') return null;
  const run = applyAnswer(resumeRun(summary), `${handlerId} (${node.id})`, { answer, bounds: limits });
  return nextStep(run) === undefined ? outcomeOf(run) : null;
};

/** Stores the answer of a call, and with the last one the event's end. */
export const storeAnswer = async (
  { deps, request, step, attempt, startedAt, notes }: Call,
  answered: Answered,
  { result, action = null }: { readonly result: unknown; readonly action?: ActionSettlement | null },
): Promise<StepResult> => {
  const { eventId, token, handlerId, timerId, node } = request;
  const outcome = endOf(request, answered, deps);
  const record: StepRecord = {
    eventId,
    token,
    nodeId: node.id,
    handlerId,
    timerId,
    scopeId: step.scopeId,
    ...answered,
    result: notes.length > 0 ? { ...(typeof result === 'object' ? result : { result }), notes } : result,
    attempt,
    startedAt,
    action,
    outcome,
  };
  const state = await deps.store.store(record);
  if (state === null) throw new ClaimLost(eventId);
  return { answer: answered.answer, settled: outcome === null ? null : state };
};

/** Loads a call: an answer that is stored already is the answer; a claim that was taken over ends it. */
export const openCall = async (deps: StepDeps, request: StepRequest, attempt: StepAttempt): Promise<Call | StepResult> => {
  const { eventId, token, handlerId, timerId, node } = request;
  const step = await deps.store.load({ eventId, token, nodeId: node.id, handlerId, timerId });
  if (step?.isHeld !== true) throw new ClaimLost(eventId);
  // A failed handler is asked again, by a redrive or by a run that repeats the step.
  if (step.answer !== null && step.answer.status !== 'failed' && step.answer.status !== 'start') return { answer: step.answer, settled: null };
  const handler = deps.registry.find(handlerId);
  const startedAt = new Date().toISOString();
  const loaded = (step.node as AgentSignalNode | null) ?? sourceOf(step);
  return { ...attempt, deps, request, step, node: loaded, startedAt, notes: [], handler: handler ?? missingHandler(handlerId) };
};

/** Another version declared it, this one does not: the branch fails, and says so. */
const missingHandler = (id: string): HandlerDefinition => ({
  id,
  kind: 'source',
  types: [],
  handle: () => Promise.reject(Object.assign(new Error(`no handler ${id} in this version`), { type: 'InvalidOutput', retryable: false })),
});
