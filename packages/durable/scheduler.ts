import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import { MESSAGES } from '../contracts/messages.ts';
import { createFlight, halt, signalAll, track } from './flight.ts';
import type { Flight, Rest } from './flight.ts';
import { addItemCounts } from './item-counts.ts';
import type { PageWalk } from './page-walk.ts';
import { groupRetries } from './retry-groups.ts';
import type { RunMemory } from './run-state.ts';
import { runUnit } from './unit-runner.ts';
import type { UnitContext, UnitEnd } from './unit-runner.ts';
import { dealSlots } from './units.ts';
import type { Unit } from './units.ts';

export interface SchedulerOptions {
  readonly memory: RunMemory;
  readonly walk: PageWalk;
  readonly context: Omit<UnitContext, 'isPaused' | 'isStopping' | 'onChunk'>;
  /** Whether the history would pass its budget with so many units still to run. */
  readonly isFull: (units: number) => boolean;
}

/** The part of a run that keeps pages, chunks and items in flight. */
export interface Scheduler {
  /** Runs until nothing is open and there is a reason to rest; throws only on a fault of the machinery, after everything open has ended. */
  run(): Promise<Rest>;
  /** Tells it that the memory's control has changed. */
  onControl(verb: 'pause' | 'resume' | 'abort'): void;
}

/** A run begins no page that it could not finish within its history; it begins at least one, else a chain of runs would get nowhere. */
const drainIfFull = ({ walk, isFull }: SchedulerOptions, flight: Flight): void => {
  if (walk.hasBegun() && isFull(walk.owedUnits() + walk.freshUnits())) flight.isDraining = true;
  // A listing in flight goes on from the cursor as it is now: what it answers is dropped with the rest.
  if (flight.isDraining && !flight.isListing) walk.dropUnbegun();
};

const startListing = ({ memory, walk, context }: SchedulerOptions, flight: Flight): void => {
  const listing = walk.nextListing();
  if (listing === null || flight.isListing || flight.isDraining || memory.control !== 'running') return;
  flight.isListing = true;
  track(flight, async () => {
    try {
      const { cursor, page } = listing;
      walk.accept(await context.calls.listPage({ run: context.run, dryRun: false, cursor, pageSize: context.plan.pageSize }, page));
    } finally {
      flight.isListing = false;
    }
  });
};

/** Gives back what a unit ended with; its retries wait on durable timers without holding a slot. */
const settleUnit = ({ memory, walk }: SchedulerOptions, flight: Flight, { unit, end }: { unit: Unit; end: UnitEnd }): void => {
  memory.items = addItemCounts(memory.items, end.counts);
  if (end.stop !== undefined) halt(flight, end.stop);
  const repeat = (itemIds: readonly string[]): Unit[] => (itemIds.length === 0 ? [] : [{ ...unit, itemIds, isRepeat: true }]);
  const groups = groupRetries(end.retry);
  // The page stays open while retries wait: each is a unit of its own from now on.
  walk.hold(unit, groups.length);
  walk.finish(unit, repeat(end.again));
  for (const { itemIds, afterMs } of groups)
    track(flight, async () => {
      let isDue = false;
      try {
        await flight.waits.run(() => sleep(afterMs, { summary: `page ${unit.page} · retry of ${itemIds.length} items` }));
        isDue = true;
      } finally {
        walk.finish(unit, isDue ? repeat(itemIds) : []);
      }
    });
};

const unitContextOf = ({ memory, context }: SchedulerOptions, flight: Flight): UnitContext => ({
  ...context,
  isPaused: () => memory.control === 'paused',
  isStopping: () => flight.stop !== null || flight.fault !== null,
  onChunk: (handle, state) => {
    if (state === 'ended') return void flight.handles.delete(handle);
    flight.handles.add(handle);
    const tell = (name: string): void => void handle.signal(name).catch(() => undefined);
    if (flight.stop !== null) return tell(MESSAGES.stop);
    // A control that came while the child was starting had not reached it.
    if ((memory.control === 'paused') !== (state === 'paused')) tell(state === 'paused' ? MESSAGES.resume : MESSAGES.pause);
  },
});

const startUnit = (options: SchedulerOptions, flight: Flight, { unit, slots }: { unit: Unit; slots: number }): void => {
  const chunks = unit.kind === 'item' ? 0 : 1;
  flight.slots -= slots;
  flight.chunks += chunks;
  track(flight, async () => {
    try {
      const end = await runUnit(unitContextOf(options, flight), unit, slots);
      settleUnit(options, flight, { unit, end });
    } finally {
      flight.slots += slots;
      flight.chunks -= chunks;
    }
  });
};

/** Takes the next unit that may start now, with its share of the slots. */
const takeStartable = (options: SchedulerOptions, flight: Flight): { unit: Unit; slots: number } | undefined => {
  const { memory, walk, context } = options;
  if (memory.control !== 'running' || flight.slots === 0) return undefined;
  drainIfFull(options, flight);
  const next = walk.peek();
  if (next === undefined || (flight.isDraining && walk.freshUnits() > 0)) return undefined;
  const { chunksInFlight } = context.plan;
  const isItem = next.kind === 'item';
  if (!isItem && flight.chunks >= chunksInFlight) return undefined;
  const contenders = Math.min(walk.waitingUnits(), chunksInFlight - flight.chunks);
  walk.take();
  return { unit: next, slots: isItem ? 1 : dealSlots({ free: flight.slots, contenders, items: next.itemIds.length }) };
};

const startUnits = (options: SchedulerOptions, flight: Flight): void => {
  for (let next = takeStartable(options, flight); next !== undefined; next = takeStartable(options, flight)) startUnit(options, flight, next);
};

const loop = async (options: SchedulerOptions, flight: Flight): Promise<Rest> => {
  const { memory, walk } = options;
  for (;;) {
    const seen = flight.changes;
    if (flight.stop === null && flight.fault === null) {
      drainIfFull(options, flight);
      startListing(options, flight);
      startUnits(options, flight);
      if (flight.open === 0 && walk.isExhausted()) return 'drained';
      if (flight.open === 0 && flight.isDraining && walk.isIdle() && memory.control === 'running') return 'renew';
    } else if (flight.open === 0) {
      if (flight.fault !== null) throw flight.fault.error;
      if (flight.stop !== null) return flight.stop;
    }
    await condition(() => flight.changes !== seen);
  }
};

/** Creates the scheduler of one run of the chain; call it inside the root scope, whose cancellation it turns into an orderly stop. */
export const createScheduler = (options: SchedulerOptions): Scheduler => {
  const root = CancellationScope.current();
  let flight: Flight | null = null;
  return {
    run: () =>
      CancellationScope.nonCancellable(async () => {
        const current = createFlight(options.context.plan.maxConcurrency);
        flight = current;
        if (root.consideredCancelled) halt(current, 'canceled');
        root.cancelRequested.catch(() => halt(current, 'canceled'));
        if (options.memory.control === 'aborting') halt(current, 'aborted');
        return loop(options, current);
      }),
    onControl: (verb) => {
      if (flight === null) return;
      if (verb === 'abort') halt(flight, 'aborted');
      else signalAll(flight, verb === 'pause' ? MESSAGES.pause : MESSAGES.resume);
      flight.changes++;
    },
  };
};
