import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

/** The typed failure that a run ended with; throws when it did not fail. */
export async function failureOf(result: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await result.then(
    (value) => new Error(`the run did not fail but answered ${JSON.stringify(value)}`),
    (failed: unknown) => failed,
  );
  if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
  throw error;
}
