import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { KnownRun } from './runs.ts';
import { StartPacer } from './start-pacer.ts';

/**
 * When a start time of the server's clock is due on this process's monotonic clock, ms: counted from when the server scheduled this attempt and
 * `sinceMs`, when it began here. Never early, whatever the clocks of the machines say.
 */
const dueHere = (startMs: number, sinceMs: number): number => startMs - Context.current().info.currentAttemptScheduledTimestampMs + sinceMs;

/** The server's time on this process's monotonic clock, ms: the other way round. */
export const serverNow = (sinceMs: number): number => Context.current().info.currentAttemptScheduledTimestampMs + performance.now() - sinceMs;

const waitUntil = async (atMs: number): Promise<void> => {
  const aheadMs = atMs - performance.now();
  if (aheadMs > 0) await delay(aheadMs, undefined, { signal: Context.current().cancellationSignal }).catch(() => undefined);
};

/** Holds an activity whose request has a start time until then; a later attempt is not paced again. */
export const untilStart = async (request: unknown): Promise<void> => {
  const startMs = typeof request === 'object' && request !== null && 'notBefore' in request ? request.notBefore : undefined;
  if (typeof startMs === 'number' && Context.current().info.attempt === 1) await waitUntil(dueHere(startMs, performance.now()));
};

/** Waits for an item's start time; starts of one run keep their distance in this process even when they come late. */
export type AwaitStart = (run: KnownRun<FieldSpecs>, start: { readonly startMs: number; readonly sinceMs: number }) => Promise<void>;

/** Makes the pacing of one pipeline's items. */
export const createAwaitStart = (): AwaitStart => {
  const pacers = new WeakMap<KnownRun<FieldSpecs>, StartPacer>();
  return async (run, { startMs, sinceMs }) => {
    const pacer = pacers.get(run) ?? new StartPacer();
    pacers.set(run, pacer);
    // Asked only when it is due: one that waits for a later time holds up nobody.
    await waitUntil(dueHere(startMs, sinceMs));
    await waitUntil(pacer.next(startMs, performance.now()));
  };
};
