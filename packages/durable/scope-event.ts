import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { EXEC_AGENT_TYPE, execAgentWorkflowId } from '../contracts/exec-agent.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';
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

/** Starts the run that an action ordered, beside the scope: its start is awaited, its end is not. One that runs or ran already is joined. */
const startAgentRun = async (request: StepRequest, operationId: string): Promise<StepResult> => {
  let failure: string | null = null;
  try {
    await startChild(EXEC_AGENT_TYPE, {
      workflowId: execAgentWorkflowId(operationId),
      args: [{ operationId }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      workflowTaskTimeout: TASK_TIMEOUT,
      staticSummary: `for ${request.node.id}`.slice(0, 200),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) {
      if (!(error instanceof ChildWorkflowFailure)) throw error;
      failure = error.cause?.message ?? error.message;
    }
  }
  return scopeCalls.settleStart({ ...request, operationId, failure });
};

/** One handler's call; where its attempts ended without an answer, the branch is given up. */
const callStep = async (request: StepRequest, event: ClaimedEvent, limits: SignalLimits): Promise<StepResult | null> => {
  try {
    const result = await scopeCalls.run(request, { limits, sourceId: event.sourceId });
    return result.answer.status === 'start' ? await startAgentRun(request, result.answer.operationId) : result;
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
