import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, WorkflowNotFoundError } from '@temporalio/common';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { RunResult } from '../contracts/run.ts';

/** How a run's workflow closed; `counters` are the numbers that a failure's details carry. */
export type RunEnding =
  | { readonly kind: 'completed'; readonly result: RunResult }
  | {
      readonly kind: 'failed' | 'canceled' | 'terminated';
      readonly type: string;
      readonly message: string;
      readonly counters: Partial<RunResult>;
    };

const ASK_AGAIN_MS = 2_000;
const ASK_TIMES = 30;
const REFUSALS: readonly string[] = [
  RUN_FAILURES.invalidInput,
  RUN_FAILURES.unknownWorkflowType,
  RUN_FAILURES.alreadyRunning,
  RUN_FAILURES.preflightRefused,
];

/** True for the failure types of a start that was refused before anything was written. */
export function isRefusal(type: string): boolean {
  return REFUSALS.includes(type);
}

/** Which chain is waited for, from which of its runs on; an aborted signal ends the wait, which then rejects. */
export interface AwaitEndingInput {
  readonly workflowId: string;
  readonly runId: string;
  readonly signal?: AbortSignal;
}

/** Waits for the end of a chain through restarts of the server of about a minute; rejects when it does not exist. */
export async function awaitEnding(client: Client, { workflowId, runId, signal }: AwaitEndingInput): Promise<RunEnding> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const ask = (): Promise<unknown> => (signal === undefined ? handle.result() : client.withAbortSignal(signal, () => handle.result()));
  for (let asked = 1; ; asked++) {
    try {
      return { kind: 'completed', result: (await ask()) as RunResult };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return explainFailure(error);
      if (error instanceof WorkflowNotFoundError || asked >= ASK_TIMES || signal?.aborted === true) throw error;
      await delay(ASK_AGAIN_MS, undefined, { ...(signal && { signal }) });
    }
  }
}

function explainFailure({ cause, message }: WorkflowFailedError): RunEnding {
  if (cause instanceof CancelledFailure) return { kind: 'canceled', type: 'Canceled', message: 'canceled from Temporal', counters: {} };
  if (cause instanceof TerminatedFailure) return { kind: 'terminated', type: 'Terminated', message: cause.message, counters: {} };
  if (cause instanceof ApplicationFailure) {
    const type = cause.type ?? RUN_FAILURES.internalError;
    const [first] = cause.details ?? [];
    const isCounted = type === RUN_FAILURES.failureThresholdExceeded || type === RUN_FAILURES.databaseUnavailable;
    return { kind: 'failed', type, message: cause.message, counters: isCounted && isCounters(first) ? first : {} };
  }
  return { kind: 'failed', type: cause?.name ?? 'Failed', message: cause?.message ?? message, counters: {} };
}

function isCounters(value: unknown): value is Partial<RunResult> {
  return typeof value === 'object' && value !== null && 'toProcess' in value;
}
