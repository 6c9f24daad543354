import type { RunPlan } from '../contracts/run-plan.ts';
import type { Gate } from '../flow-control/gate.ts';
import { BATCH_MS } from '../flow-control/start-times.ts';
import { lanesInUse } from './flight.ts';
import type { Flight } from './flight.ts';
import type { PageWalk } from './page-walk.ts';
import { apartFor, dealStarts } from './start-dealing.ts';
import { dealSlots } from './units.ts';
import type { Unit } from './units.ts';

/** A unit that starts, with its share of the slots and, under a rate, the start times of its items. */
export interface Takeoff {
  readonly unit: Unit;
  readonly lanes: number;
  readonly starts?: readonly number[];
}

export interface TakeoffInput {
  readonly walk: PageWalk;
  readonly plan: RunPlan;
  readonly gate: Gate | null;
  /** Start times that chunks of the same moment will take. */
  readonly promised: number;
}

/**
 * How many lanes the next unit gets. Under a rate no more than keep it busy for about the time of one batch of start times: units that are spread over
 * all lanes take long to end, and hold up the pages behind them.
 */
const dealLanes = (
  { walk, plan, gate }: TakeoffInput,
  flight: Flight,
  { free, items }: { readonly free: number; readonly items: number },
): number => {
  const contenders = Math.min(walk.waitingUnits(), plan.chunksInFlight - flight.chunks);
  if (gate === null || !gate.isPaced()) return dealSlots({ free, contenders, items });
  const all = lanesInUse(plan, flight) + free;
  return dealSlots({ free, contenders, items, least: Math.ceil((all * plan.chunkSize) / gate.startsIn(BATCH_MS)) });
};

/**
 * Start times that a slice of so many lanes can use: no closer for a lane than its items take. While that is unknown, no closer than they come to a lane
 * when all lanes share the rate.
 */
const sliceStarts = (
  { plan, gate }: TakeoffInput,
  flight: Flight,
  { lanes, free, nowMs }: { readonly lanes: number; readonly free: number; readonly nowMs: number },
): readonly number[] | undefined => {
  if (gate === null || !gate.isPaced()) return undefined;
  const all = lanesInUse(plan, flight) + free;
  const apartMs = flight.laneMs > 0 ? apartFor(flight.laneMs) : (all * 1_000) / gate.startsIn(1_000) - 1;
  return dealStarts([{ lanes, bare: Infinity, ahead: [] }], gate.startTimes(nowMs), { perLane: Infinity, apartMs })[0] ?? [];
};

/** Takes the next unit that may start now within slots, window, permits and start times; those of chunks are dealt afterwards. */
export const takeStartable = (input: TakeoffInput, flight: Flight, nowMs: number): Takeoff | undefined => {
  const { walk, plan, gate, promised } = input;
  const free = Math.min(flight.slots, gate?.free(nowMs) ?? Infinity);
  const next = walk.peek();
  if (next === undefined || free < 1 || (gate?.startable(nowMs) ?? Infinity) - promised < 1) return undefined;
  if (next.kind !== 'item' && flight.chunks >= plan.chunksInFlight) return undefined;
  const lanes = next.kind === 'item' ? 1 : dealLanes(input, flight, { free, items: next.itemIds.length });
  const usable = next.kind === 'slice' ? sliceStarts(input, flight, { lanes, free, nowMs }) : undefined;
  // A slice starts what it has times for, a chunk gets more of them as it goes on.
  const unit = walk.take(usable?.length);
  if (unit === undefined) return undefined;
  const given = gate?.take(lanes, unit.kind === 'item' ? 1 : 0, nowMs) ?? [];
  const starts = usable?.slice(0, unit.itemIds.length) ?? given;
  if (usable !== undefined) gate?.takeStarts(starts);
  return { unit, lanes, ...(unit.kind !== 'chunk' && gate?.isPaced() === true ? { starts } : {}) };
};
