import { setTimeout as delay } from 'node:timers/promises';
import { driveEvent } from '../../packages/agent-signal/drive-event.ts';
import type { ClaimedEvent, StepRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import type { EventOutcome, EventState } from '../../packages/contracts/signal-run.ts';
import { giveUpAction, runAction, settleStartedAction } from './run-action.ts';
import { giveUpHandler, runHandler } from './run-handler.ts';
import type { StepDeps } from './step.ts';
import { ClaimLost, computePause, RetryStep } from './step-errors.ts';
import { TimeUp, within } from './within.ts';

/** A host that runs events in its own process. */
export interface InProcessHost {
  readonly deps: StepDeps;
  /** Attempts of one call; 1: a failure is final. */
  readonly attempts: number;
  /** Aborted when the claim is lost. */
  readonly signal: AbortSignal;
  /** Starts a run that an action ordered; one that ran already is joined. A rejection fails the action. */
  readonly startRun: (operationId: string) => Promise<void>;
  /** Keeps how the start went (null: it did); what the action says of it. */
  readonly keepStart: (operationId: string, failure: string | null) => Promise<{ readonly detail: string; readonly failureCode: string }>;
  readonly settle: (event: ClaimedEvent, outcome: EventOutcome) => Promise<EventState>;
}

/** Only the start itself can fail the action: what cannot be stored afterwards is no reason to start a second run. */
const start = async (host: InProcessHost, request: StepRequest, operationId: string): Promise<StepResult> => {
  let failure: string | null = null;
  try {
    await within({ ms: host.deps.limits.attemptMs, outer: host.signal }, () => host.startRun(operationId));
  } catch (error) {
    // Nobody knows whether it was started in the end: whoever has the event next asks for the same run.
    if (error instanceof TimeUp || host.signal.aborted) throw error;
    failure = error instanceof Error ? error.message : String(error);
  }
  return settleStartedAction(host.deps, request, { ...(await host.keepStart(operationId, failure)), failure });
};

/** An attempt that was left behind stores nothing any more. */
const untilAborted = (deps: StepDeps, signal: AbortSignal): StepDeps => ({
  ...deps,
  store: {
    ...deps.store,
    store: async (record) => {
      signal.throwIfAborted();
      return deps.store.store(record);
    },
  },
});

/** One call with its attempts, each bounded and all of them together; where they end without an answer the branch is given up. */
const callStep = async ({ deps, attempts, signal: outer }: InProcessHost, request: StepRequest): Promise<StepResult> => {
  const { limits } = deps;
  const isAction = request.node.kind === 'action';
  const untilMs = performance.now() + limits.retryTotalMs;
  for (let attempt = 1; ; attempt++) {
    const isFinal = attempt >= attempts;
    const ms = Math.min(limits.attemptMs, untilMs - performance.now());
    try {
      return await within({ ms, outer }, (signal) =>
        (isAction ? runAction : runHandler)(untilAborted(deps, signal), request, { attempt, isFinal, signal }),
      );
    } catch (error) {
      if (outer.aborted || !(error instanceof RetryStep || error instanceof TimeUp)) throw error;
      const pauseMs = error instanceof RetryStep ? error.delayMs : computePause(attempt, null, limits);
      if (isFinal || performance.now() + pauseMs >= untilMs) return (isAction ? giveUpAction : giveUpHandler)(deps, request, error.message);
      await delay(pauseMs, undefined, { signal: outer });
    }
  }
};

/** Runs one claimed event to its end; null: its claim was taken over. */
export const runInProcess = async (host: InProcessHost, event: ClaimedEvent): Promise<EventState | null> => {
  try {
    const drive = driveEvent(event, host.deps.limits);
    let turn = drive.next();
    while (turn.done !== true) {
      const result = await callStep(host, turn.value);
      turn = drive.next(result.answer.status === 'start' ? await start(host, turn.value, result.answer.operationId) : result);
    }
    const end = turn.value;
    if (end.kind === 'lost') return null;
    return end.kind === 'settled' ? end.state : await host.settle(event, end.outcome);
  } catch (error) {
    if (error instanceof ClaimLost || host.signal.aborted) return null;
    throw error;
  }
};
