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
import { driveEvent } from '../agent-signal/drive-event.ts';
import type { EventEnd } from '../agent-signal/drive-event.ts';
import { CLAIM_LOST } from '../contracts/signal-activities.ts';
import type { Claimed, ClaimedEvent, ClaimRequest, StepRequest, StepResult } from '../contracts/signal-activities.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { scopeCalls } from './scope-calls.ts';

const isClaimLost = (error: unknown): boolean =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === CLAIM_LOST;

const reasonOf = (error: ActivityFailure): string => error.cause?.message ?? error.message;

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

/** How a scope runs an event. */
export interface EventTerms {
  readonly limits: SignalLimits;
  /** What the call that may end the event is to claim behind it; undefined: nothing. */
  readonly claimNext: () => ClaimRequest | undefined;
}

/** How an event ended, and what was claimed with its end. */
export interface RunEvent {
  readonly end: EventEnd;
  readonly claimed: Claimed | undefined;
}

/** One handler's call; where its attempts ended without an answer, the branch is given up. */
const callStep = async (request: StepRequest, event: ClaimedEvent, { limits, claimNext }: EventTerms): Promise<StepResult | null> => {
  try {
    const next = request.isLast ? claimNext() : undefined;
    const result = await scopeCalls.run(next === undefined ? request : { ...request, next }, { limits, sourceId: event.sourceId });
    return result.answer.status === 'start' ? await startAgentRun(request, result.answer.operationId) : result;
  } catch (error) {
    if (isClaimLost(error)) return null;
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return scopeCalls.giveUp({ ...request, message: reasonOf(error) });
  }
};

const settle = async ({ eventId, token }: ClaimedEvent, { outcome, isFollowed }: EventEnd & { readonly kind: 'unsettled' }): Promise<EventEnd> => {
  try {
    const { state } = await scopeCalls.settle({ eventId, token, outcome });
    return { kind: 'settled', state, isFollowed };
  } catch (error) {
    if (isClaimLost(error)) return { kind: 'lost' };
    throw error;
  }
};

/** Runs one claimed event; what no call could settle is settled here, unless nobody handles the event at all: then its outcome goes with the next claim. */
export const runClaimedEvent = async (event: ClaimedEvent, terms: EventTerms): Promise<RunEvent> => {
  const drive = driveEvent(event, terms.limits);
  let claimed: Claimed | undefined;
  let turn = drive.next();
  while (turn.done !== true) {
    const result = await callStep(turn.value, event, terms);
    claimed = result?.claimed;
    turn = drive.next(result);
  }
  const end = turn.value;
  return { end: end.kind === 'unsettled' && event.node.handlers.length > 0 ? await settle(event, end) : end, claimed };
};
