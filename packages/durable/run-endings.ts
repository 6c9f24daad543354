import { ActivityFailure, ApplicationFailure, ContinueAsNew, isCancellation, TemporalFailure } from '@temporalio/workflow';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { RunFailureType } from '../contracts/failures.ts';
import { cutText } from '../contracts/json-value.ts';
import type { Finalized } from '../contracts/finish-activities.ts';
import type { Outcome, RunResult } from '../contracts/run.ts';
import { computeRemaining } from '../contracts/texts.ts';
import type { RunMemory } from './run-state.ts';

const MESSAGE_BYTES = 1_000;
const RUN_TYPES = new Set<string>(Object.values(RUN_FAILURES));

export interface RunEnd extends Pick<Finalized, 'message' | 'finishedAt'> {
  readonly outcome: Outcome;
  readonly dryRun: boolean;
  readonly startedAt: string;
}

/** The workflow's result from what it remembers and how it ended. */
export const describeResult = (memory: RunMemory, workflowId: string, end: RunEnd): RunResult => {
  const { counts, items, work } = memory;
  return {
    success: end.outcome === 'completed' || end.outcome === 'nothingToDo' || end.outcome === 'dryRun',
    outcome: end.outcome,
    message: end.message,
    epoch: memory.epoch ?? 1,
    startedAt: end.startedAt,
    finishedAt: end.finishedAt,
    ...(end.dryRun ? { dryRun: true as const } : {}),
    ...(end.outcome === 'aborted' ? { cancelled: true as const } : {}),
    ...counts,
    ...items,
    remaining: counts === null || end.dryRun ? (counts?.toProcess ?? 0) : computeRemaining(counts.toProcess, items),
    ...work,
    ...(items.failed > 0 ? { failedItems: `strata failures ${workflowId}` } : {}),
  };
};

/** A failure that ends the run, of one of the contract's types. */
export const runFailure = (type: RunFailureType, message: string, details: readonly unknown[] = []): ApplicationFailure =>
  ApplicationFailure.create({ type, message: cutText(message, MESSAGE_BYTES), details: [...details], nonRetryable: true });

/** What a run throws for an error that reached the end of its story: typed failures keep their type, anything unexpected is `InternalError`. */
export const toRunFailure = (error: unknown): unknown => {
  if (error instanceof ContinueAsNew || isCancellation(error)) return error;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure && RUN_TYPES.has(cause.type ?? ''))
    return runFailure(cause.type as RunFailureType, cause.message, cause.details ?? []);
  if (error instanceof TemporalFailure) return runFailure(RUN_FAILURES.internalError, cause instanceof Error ? cause.message : error.message);
  return runFailure(RUN_FAILURES.internalError, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
};
