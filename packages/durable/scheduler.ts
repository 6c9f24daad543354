import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import { MESSAGES } from '../contracts/messages.ts';
import { drainIfFull, isGoing, lendIdleLanes, takeDepartures } from './departures.ts';
import type { DepartureOptions } from './departures.ts';
import type { ChunkNeed } from '../contracts/flow-messages.ts';
import { createFlight, doLater, halt, lanesInUse, signalAll, track } from './flight.ts';
import type { Flight, Rest } from './flight.ts';
import { addItemCounts } from './item-counts.ts';
import { groupRetries } from './retry-groups.ts';
import type { Takeoff } from './takeoff.ts';
import { runUnit } from './unit-runner.ts';
import type { UnitContext, UnitEnd } from './unit-runner.ts';
import type { Unit } from './units.ts';

export interface SchedulerOptions extends DepartureOptions {
  readonly context: Omit<UnitContext, 'isPaused' | 'isStopping' | 'onChunk'>;
}

/** The part of a run that keeps pages, chunks and items in flight. */
export interface Scheduler {
  /** Runs until nothing is open and there is a reason to rest; throws only on a fault of the machinery, after everything open has ended. */
  run(): Promise<Rest>;
  /** Tells it that the memory's control has changed. */
  onControl(verb: 'pause' | 'resume' | 'abort'): void;
  /** A limiter has spoken. */
  onFlow(): void;
  onChunkNeed(need: ChunkNeed): void;
}

/** A run with nothing in the air asks again after this time: its limiter may have forgotten it. */
const STARVED_MS = 30_000;

/** A run that waits for start times asks again when its limiter was silent for so long: they come by the second. */
const SILENT_MS = 5_000;

const startListing = ({ memory, walk, context, flow }: SchedulerOptions, flight: Flight): void => {
  const listing = walk.nextListing();
  const mayList = listing !== null && !flight.isListing && !flight.isDraining && memory.control === 'running';
  const gate = flow.gates.paginate;
  gate?.demand(flight.isListing || mayList ? 1 : 0, mayList ? 1 : 0);
  if (!mayList || (gate !== null && (gate.free(Date.now()) < 1 || gate.startable(Date.now()) < 1))) return;
  const [notBefore] = gate?.take(1, 1, Date.now()) ?? [];
  flight.isListing = true;
  track(flight, async () => {
    try {
      const { cursor, page } = listing;
      const request = {
        run: context.run,
        dryRun: false,
        cursor,
        pageSize: context.plan.pageSize,
        ...(notBefore === undefined ? {} : { notBefore }),
      } as const;
      walk.accept(await context.calls.listPage(request, page));
    } finally {
      flight.isListing = false;
      gate?.release(1);
    }
  });
};

/** Gives back what a unit ended with; its retries wait on durable timers without holding a slot. */
const settleUnit = ({ memory, walk }: SchedulerOptions, flight: Flight, { unit, end }: { unit: Unit; end: UnitEnd }): void => {
  memory.items = addItemCounts(memory.items, end.counts);
  if (end.stop !== undefined) halt(flight, end.stop);
  if (end.laneMs !== undefined) flight.laneMs = end.laneMs;
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
  onChunk: (unit, handle, state) => {
    if (state === 'ended') return void flight.handles.delete(handle);
    flight.handles.add(handle);
    flight.chunksOpen.started(unit, handle);
    flight.changes++;
    const tell = (name: string): void => void handle.signal(name).catch(() => undefined);
    if (flight.stop !== null) return tell(MESSAGES.stop);
    // A control that came while the child was starting had not reached it.
    if ((memory.control === 'paused') !== (state === 'paused')) tell(state === 'paused' ? MESSAGES.resume : MESSAGES.pause);
  },
});

const giveBack = ({ flow }: SchedulerOptions, flight: Flight, lanes: number): void => {
  flight.slots += lanes;
  flow.gates.execute?.release(lanes);
};

const startUnit = (options: SchedulerOptions, flight: Flight, takeoff: Takeoff): void => {
  const { unit, lanes } = takeoff;
  const isChunk = unit.kind === 'chunk';
  const starts = isChunk ? flight.chunksOpen.leave(unit) : takeoff.starts;
  track(flight, async () => {
    try {
      const end = await runUnit(unitContextOf(options, flight), { unit, lanes, ...(starts === undefined ? {} : { starts }) });
      settleUnit(options, flight, { unit, end });
    } finally {
      giveBack(options, flight, isChunk ? flight.chunksOpen.close(unit) : lanes);
      flight.chunks -= unit.kind === 'item' ? 0 : 1;
    }
  });
};

/** Says what the run could use, and makes chunks give up what it may not keep. */
const ask = (options: SchedulerOptions, flight: Flight): void => {
  const { walk, flow, context } = options;
  const gate = flow.gates.execute;
  if (gate === null) return;
  const going = isGoing(options, flight);
  const inUse = lanesInUse(context.plan, flight);
  const open = going ? walk.openItems() : 0;
  const usable = going ? open + (gate.isPaced() ? 0 : flight.chunksOpen.appetite()) : 0;
  gate.demand(Math.min(context.plan.maxConcurrency, inUse + usable), open + (going ? flight.chunksOpen.needs(gate, flight.laneMs) : 0));
  flight.chunksOpen.shed(gate.excess());
};

/** When a gate opens by itself, or a starved run repeats what it asked for; undefined: no timer is needed. */
const wakeAfter = ({ flow }: SchedulerOptions, flight: Flight): number | undefined => {
  const nowMs = Date.now();
  const opensAtMs = flow.gates.execute?.opensAtMs(nowMs) ?? null;
  if (opensAtMs !== null) return Math.max(1, opensAtMs - nowMs);
  const isStarved = flight.open === 0 && (flow.gates.execute !== null || flow.gates.paginate !== null);
  return isStarved ? STARVED_MS : undefined;
};

/** While start times are awaited, looks whether the limiter still speaks: one that was terminated has forgotten what it was asked for. */
const watchLimiter = ({ flow }: SchedulerOptions, flight: Flight): void => {
  const gate = flow.gates.execute;
  if (gate === null || !gate.awaitsStarts()) return;
  const heard = gate.heard();
  doLater(flight, { summary: 'silence of the limiter', afterMs: SILENT_MS }, () => {
    if (gate.awaitsStarts() && gate.heard() === heard) gate.repeat();
  });
};

const startUnits = (options: SchedulerOptions, flight: Flight): void => {
  for (const takeoff of takeDepartures(options, flight)) startUnit(options, flight, takeoff);
};

const loop = async (options: SchedulerOptions, flight: Flight): Promise<Rest> => {
  const { memory, walk } = options;
  for (;;) {
    const seen = flight.changes;
    if (flight.stop === null && flight.fault === null) {
      drainIfFull(options, flight);
      startListing(options, flight);
      ask(options, flight);
      startUnits(options, flight);
      if (flight.open === 0 && walk.isExhausted()) return 'drained';
      if (flight.open === 0 && flight.isDraining && walk.isIdle() && memory.control === 'running') return 'renew';
    } else if (flight.open === 0) {
      if (flight.fault !== null) throw flight.fault.error;
      if (flight.stop !== null) return flight.stop;
    }
    ask(options, flight);
    options.flow.flush();
    watchLimiter(options, flight);
    lendIdleLanes(options, flight);
    const isNews = (): boolean => flight.changes !== seen;
    const afterMs = wakeAfter(options, flight);
    if (afterMs === undefined) await condition(isNews);
    else if (!(await condition(isNews, afterMs))) for (const gate of Object.values(options.flow.gates)) gate?.repeat();
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
    onFlow: () => {
      if (flight !== null) flight.changes++;
    },
    onChunkNeed: (need) => {
      if (flight === null) return;
      if (need.laneMs > 0) flight.laneMs = need.laneMs;
      giveBack(options, flight, flight.chunksOpen.hear(need));
      flight.changes++;
    },
  };
};
