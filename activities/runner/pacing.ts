import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';

/**
 * Waits until a start time of the server's clock, ms: counted from when the server scheduled this attempt, on this process's monotonic clock from
 * `sinceMs` (performance.now()). Never early, whatever the clocks of the machines say.
 */
export const waitForStart = async (startMs: number, sinceMs: number): Promise<void> => {
  const { info, cancellationSignal } = Context.current();
  const aheadMs = startMs - info.currentAttemptScheduledTimestampMs - (performance.now() - sinceMs);
  if (aheadMs > 0) await delay(aheadMs, undefined, { signal: cancellationSignal }).catch(() => undefined);
};

/** Holds an activity whose request has a start time until then; a later attempt is not paced again. */
export const untilStart = async (request: unknown): Promise<void> => {
  const sinceMs = performance.now();
  const startMs = typeof request === 'object' && request !== null && 'notBefore' in request ? request.notBefore : undefined;
  if (typeof startMs === 'number' && Context.current().info.attempt === 1) await waitForStart(startMs, sinceMs);
};
