import type { ClaimedEvent, StepRequest, StepResult } from '../contracts/signal-activities.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { EventOutcome, EventState } from '../contracts/signal-run.ts';
import { nextStep, startRun, summarize, takeStep } from './event-run.ts';
import type { EventRun, Step } from './event-run.ts';
import { applyAnswer, isOverBudget, outcomeOf } from './scheduler.ts';

/** How an event left the hands of its host: settled with its last answer, lost to another claim, or over and still to be settled. */
export type EventEnd =
  | { readonly kind: 'settled'; readonly state: EventState; readonly isFollowed: boolean }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unsettled'; readonly outcome: EventOutcome; readonly isFollowed: boolean };

const requestOf = (event: ClaimedEvent, step: Step, { rest, limits }: { readonly rest: EventRun; readonly limits: SignalLimits }): StepRequest => {
  const { handlers: _handlers, ...node } = step.node;
  const isResumed = event.timerId !== undefined && node.id === event.node.id;
  return {
    eventId: event.eventId,
    token: event.token,
    node,
    handlerId: step.handlerId,
    sourceType: event.sourceType,
    isLast: nextStep(rest) === undefined,
    summary: summarize(rest),
    isOverBudget: isOverBudget(rest, step, limits),
    ...(isResumed ? { timerId: event.timerId } : {}),
  };
};

/**
 * Runs the scheduler over one event until nothing of it is queued: hands out one call after the other and takes its result; null: the claim was lost.
 * The same in every host, which makes the calls.
 */
export function* driveEvent(event: ClaimedEvent, limits: SignalLimits): Generator<StepRequest, EventEnd, StepResult | null> {
  let run = startRun(event.node);
  let isFollowed = false;
  for (let step = nextStep(run); step !== undefined; step = nextStep(run)) {
    const rest = takeStep(run);
    const result = yield requestOf(event, step, { rest, limits });
    if (result === null) return { kind: 'lost' };
    isFollowed ||= result.isFollowed === true;
    if (result.settled !== null) return { kind: 'settled', state: result.settled, isFollowed };
    run = applyAnswer(rest, `${step.handlerId} (${step.node.id})`, { answer: result.answer, bounds: limits });
  }
  return { kind: 'unsettled', outcome: outcomeOf(run), isFollowed };
}
