import { setTimeout as delay } from 'node:timers/promises';
import { driveEvent } from '../../packages/agent-signal/drive-event.ts';
import type { ClaimedEvent, StepRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import type { EventOutcome, EventState } from '../../packages/contracts/signal-run.ts';
import { runAction, settleStartedAction } from './run-action.ts';
import { runHandler } from './run-handler.ts';
import type { StepDeps } from './step.ts';
import { ClaimLost, RetryStep } from './step-errors.ts';

/** A host that runs events in its own process. */
export interface InProcessHost {
  readonly deps: StepDeps;
  /** Attempts of one call; 1: a failure is final. */
  readonly attempts: number;
  readonly signal: AbortSignal;
  /** Starts a run that an action ordered; one that ran already is joined. A rejection fails the action. */
  readonly startRun: (operationId: string) => Promise<void>;
  /** Keeps how the start went (null: it did); what the action says of it. */
  readonly keepStart: (operationId: string, failure: string | null) => Promise<{ readonly detail: string; readonly failureCode: string }>;
  readonly settle: (event: ClaimedEvent, outcome: EventOutcome) => Promise<EventState>;
}

/** Only the start itself can fail the action: what cannot be stored afterwards is no reason to start a second run. */
const start = async (host: InProcessHost, request: StepRequest, operationId: string): Promise<StepResult> => {
  const failure = await host.startRun(operationId).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return settleStartedAction(host.deps, request, { ...(await host.keepStart(operationId, failure)), failure });
};

const attempt = async (host: InProcessHost, request: StepRequest): Promise<StepResult> => {
  const run = request.node.kind === 'action' ? runAction : runHandler;
  for (let number = 1; ; number++) {
    try {
      const result = await run(host.deps, request, { attempt: number, isFinal: number >= host.attempts, signal: host.signal });
      return result.answer.status === 'start' ? await start(host, request, result.answer.operationId) : result;
    } catch (error) {
      // What is thrown at the last attempt is not to be retried.
      if (!(error instanceof RetryStep) || number >= host.attempts) throw error;
      await delay(error.delayMs, undefined, { signal: host.signal });
    }
  }
};

/** Runs one claimed event to its end; null: its claim was taken over. */
export const runInProcess = async (host: InProcessHost, event: ClaimedEvent): Promise<EventState | null> => {
  const end = await driveEvent(event, host.deps.limits, async (request) => {
    try {
      return await attempt(host, request);
    } catch (error) {
      if (error instanceof ClaimLost) return null;
      throw error;
    }
  });
  if (end.kind === 'lost') return null;
  return end.kind === 'settled' ? end.state : host.settle(event, end.outcome);
};
