import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { StopReason } from '../contracts/item-activities.ts';
import { MESSAGES } from '../contracts/messages.ts';
import { OpenChunks } from './open-chunks.ts';
import type { ChunkHandle } from './unit-runner.ts';

/** Why the scheduler came to rest: all done, time to continue as new, or stopped. */
export type Rest = 'drained' | 'renew' | 'canceled' | StopReason;

/** What a scheduler has in the air. */
export interface Flight {
  slots: number;
  chunks: number;
  open: number;
  isListing: boolean;
  /** How long an item keeps a lane, ms, where a rate makes it matter; 0: lanes keep up with their start times. */
  laneMs: number;
  isDraining: boolean;
  changes: number;
  stop: Rest | null;
  fault: { readonly error: unknown } | null;
  readonly handles: Set<ChunkHandle>;
  /** What is to be done after a wait, by its summary. */
  readonly pending: Set<string>;
  readonly chunksOpen: OpenChunks;
  readonly scope: CancellationScope;
  /** Waits between attempts: no stop needs their end. */
  readonly waits: CancellationScope;
}

/** Tells every open chunk child. */
export const signalAll = ({ handles }: Flight, name: string): void => {
  // A child that closes meanwhile cannot be signalled any more, and need not be.
  for (const handle of handles) handle.signal(name).catch(() => undefined);
};

/** Stops the flight for the first reason given: nothing starts any more, and an abort or a cancel reaches what runs. */
export const halt = (flight: Flight, reason: Rest): void => {
  if (flight.stop !== null) return;
  flight.stop = reason;
  flight.changes++;
  flight.waits.cancel();
  if (reason === 'aborted' || reason === 'canceled') flight.scope.cancel();
  else signalAll(flight, MESSAGES.stop);
};

const fail = (flight: Flight, error: unknown): void => {
  if (flight.fault === null && !isCancellation(error)) {
    flight.fault = { error };
    flight.scope.cancel();
  }
  flight.changes++;
};

/** Keeps a piece of work in the air until it ends; what it throws is a fault of the machinery, and everything else is stopped. */
export const track = (flight: Flight, work: () => Promise<void>): void => {
  flight.open++;
  flight.scope
    .run(work)
    .catch((error: unknown) => fail(flight, error))
    .finally(() => {
      flight.open--;
      flight.changes++;
    });
};

/** Lanes that open units hold. */
export const lanesInUse = ({ maxConcurrency }: Pick<RunPlan, 'maxConcurrency'>, { slots }: Flight): number => maxConcurrency - slots;

/** Does something after a wait that any stop ends, unless the same is pending; no rest waits for it. */
export const doLater = (flight: Flight, { summary, afterMs }: { readonly summary: string; readonly afterMs: number }, work: () => void): void => {
  if (flight.pending.has(summary)) return;
  flight.pending.add(summary);
  flight.waits
    .run(() => sleep(afterMs, { summary }))
    .then(work)
    .catch(() => undefined)
    .finally(() => {
      flight.pending.delete(summary);
      flight.changes++;
    });
};

/** A flight with all slots free and nothing in the air. */
export const createFlight = (slots: number): Flight => {
  const scope = new CancellationScope({ cancellable: true });
  const waits = new CancellationScope({ cancellable: true, parent: scope });
  return {
    slots,
    chunks: 0,
    open: 0,
    isListing: false,
    laneMs: 0,
    isDraining: false,
    pending: new Set(),
    changes: 0,
    stop: null,
    fault: null,
    handles: new Set(),
    chunksOpen: new OpenChunks(),
    scope,
    waits,
  };
};
