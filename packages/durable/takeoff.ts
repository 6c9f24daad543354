import type { RunPlan } from '../contracts/run-plan.ts';
import type { Gate } from '../flow-control/gate.ts';
import type { Flight } from './flight.ts';
import type { PageWalk } from './page-walk.ts';
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
}

/** How many units, the next one included, could share the free lanes: under a rate no more than the start times would fill. */
const contendersOf = ({ walk, plan }: TakeoffInput, flight: Flight, starts: number): number => {
  const waiting = Math.min(walk.waitingUnits(), plan.chunksInFlight - flight.chunks);
  return Number.isFinite(starts) ? Math.min(waiting, Math.ceil(starts / plan.chunkSize)) : waiting;
};

/** Takes the next unit that may start now within slots, window, permits and start times. */
export const takeStartable = (input: TakeoffInput, flight: Flight, nowMs: number): Takeoff | undefined => {
  const { walk, plan, gate } = input;
  const free = Math.min(flight.slots, gate?.free(nowMs) ?? Infinity);
  const starts = gate?.startable(nowMs) ?? Infinity;
  const next = walk.peek();
  if (next === undefined || free < 1 || starts < 1) return undefined;
  if (next.kind !== 'item' && flight.chunks >= plan.chunksInFlight) return undefined;
  const contenders = contendersOf(input, flight, starts);
  // A slice starts what it has times for, a chunk gets more of them as it goes on.
  const unit = walk.take(next.kind === 'slice' ? starts : undefined);
  if (unit === undefined) return undefined;
  const items = unit.itemIds.length;
  const lanes = unit.kind === 'item' ? 1 : dealSlots({ free, contenders, items });
  const given = gate?.take(lanes, Math.min(items, starts));
  return { unit, lanes, ...(gate?.isPaced() === true && given !== undefined ? { starts: given } : {}) };
};
