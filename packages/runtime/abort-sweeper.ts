import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '../database/database.ts';
import type { StaleAbort } from '../database/aborts.ts';
import { closeTerminatedRun, findStaleAborts } from '../database/aborts.ts';

const SWEEP_EVERY_MS = 10_000;
const HEED_WITHIN_MS = 60_000;
const RUNS_A_SWEEP = 100;
const REASON = 'the abort was not heeded in time';

/** Settings of a sweeper; intervals are shortened by tests only. */
export interface AbortSweeperInput {
  readonly client: Client;
  readonly db: Database;
  readonly onTerminated: (run: StaleAbort) => void;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
  /** How long an abort may stay unheeded. */
  readonly heedWithinMs?: number;
}

/** A sweeper at work. */
export interface AbortSweeper {
  /** Resolves when the sweep in progress is over. */
  stop(): Promise<void>;
}

/**
 * Enforces latched aborts: a run that does not end within 60 s of its abort is terminated with its chunk children, its row is closed as `terminated` and
 * its claims are freed. Any number of sweepers may run: terminating is bound to the run's own chain and closing is one conditional statement.
 */
export function startAbortSweeper(input: AbortSweeperInput): AbortSweeper {
  const ending = new AbortController();
  const swept = sweepUntil(ending.signal, input);
  return {
    stop: () => {
      ending.abort();
      return swept;
    },
  };
}

async function sweepUntil(signal: AbortSignal, input: AbortSweeperInput): Promise<void> {
  while (!signal.aborted) {
    await sweep(input).catch(input.onError);
    await delay(input.everyMs ?? SWEEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function sweep(input: AbortSweeperInput): Promise<void> {
  const { client, db } = input;
  const stale = await findStaleAborts(db, { olderThanMs: input.heedWithinMs ?? HEED_WITHIN_MS, limit: RUNS_A_SWEEP });
  for (const run of stale) {
    // One run that cannot be ended must not protect the others.
    try {
      await terminateTree(client, run);
      if (await closeTerminatedRun(db, run.id, `Terminated: ${REASON}`)) input.onTerminated(run);
    } catch (error) {
      input.onError(error);
    }
  }
}

/** The parent first, or it would start a terminated chunk anew; a sweep that dies in between is repeated, since the row is closed last. */
async function terminateTree(client: Client, { workflowId, firstRunId }: StaleAbort): Promise<void> {
  const parent = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: firstRunId });
  const children = await orGone(async () => {
    const { raw } = await parent.describe();
    return raw.workflowExecutionInfo?.firstRunId === firstRunId ? (raw.pendingChildren ?? []) : [];
  });
  await orGone(() => parent.terminate(REASON));
  for (const child of children ?? [])
    await orGone(() => client.workflow.getHandle(child.workflowId ?? '', child.runId ?? undefined).terminate(REASON));
}

async function orGone<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
