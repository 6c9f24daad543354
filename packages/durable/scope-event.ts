import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { applyAnswer, isOverBudget, outcomeOf } from '../agent-signal/scheduler.ts';
import { nextStep, startRun, summarize, takeStep } from '../agent-signal/event-run.ts';
import type { EventRun, Step } from '../agent-signal/event-run.ts';
import { CLAIM_LOST } from '../contracts/signal-activities.ts';
import type { ClaimedEvent, StepRequest, StepResult } from '../contracts/signal-activities.ts';
import type { EventOutcome, EventState } from '../contracts/signal-run.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { scopeCalls } from './scope-calls.ts';

/** How an event left the hands of its run: settled, lost to another claim, or over without a call that could settle it. */
export type EventEnd =
  | { readonly kind: 'settled'; readonly state: EventState }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unsettled'; readonly outcome: EventOutcome };

const isClaimLost = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === CLAIM_LOST;

const reasonOf = (error: ActivityFailure): string => error.cause?.message ?? error.message;

const requestOf = (event: ClaimedEvent, step: Step, { rest, limits }: { readonly rest: EventRun; readonly limits: SignalLimits }): StepRequest => {
  const { handlers: _handlers, ...node } = step.node;
  const isResumed = event.timerId !== undefined && node.id === event.node.id;
  return {
    eventId: event.eventId,
    token: event.token,
    node,
    handlerId: step.handlerId,
    isLast: nextStep(rest) === undefined,
    summary: summarize(rest),
    isOverBudget: isOverBudget(rest, step, limits),
    ...(isResumed ? { timerId: event.timerId } : {}),
  };
};

/** One handler's call; where its attempts ended without an answer, the branch is given up. */
const callStep = async (request: StepRequest, event: ClaimedEvent, limits: SignalLimits): Promise<StepResult | null> => {
  try {
    return await scopeCalls.run(request, { limits, sourceId: event.sourceId });
  } catch (error) {
    if (isClaimLost(error)) return null;
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return scopeCalls.giveUp({ ...request, message: reasonOf(error) });
  }
};

/** Runs the pure scheduler over one event, a handler at a time, until nothing of it is queued. */
export const runClaimedEvent = async (event: ClaimedEvent, limits: SignalLimits): Promise<EventEnd> => {
  let run = startRun(event.node);
  for (let step = nextStep(run); step !== undefined; step = nextStep(run)) {
    const rest = takeStep(run);
    const result = await callStep(requestOf(event, step, { rest, limits }), event, limits);
    if (result === null) return { kind: 'lost' };
    if (result.settled !== null) return { kind: 'settled', state: result.settled };
    run = applyAnswer(rest, `${step.handlerId} (${step.node.id})`, { answer: result.answer, bounds: limits });
  }
  const outcome = outcomeOf(run);
  if (event.node.handlers.length === 0) return { kind: 'unsettled', outcome };
  try {
    const { eventId, token } = event;
    return { kind: 'settled', state: (await scopeCalls.settle({ eventId, token, outcome })).state };
  } catch (error) {
    if (isClaimLost(error)) return { kind: 'lost' };
    throw error;
  }
};
