import type { RunPlan } from '../contracts/run-plan.ts';
import type { Gate } from '../flow-control/gate.ts';
import { BATCH_MS } from '../flow-control/start-times.ts';
import { doLater, lanesInUse } from './flight.ts';
import type { Flight } from './flight.ts';
import type { Flow } from './flow.ts';
import type { PageWalk } from './page-walk.ts';
import type { RunMemory } from './run-state.ts';
import { apartFor } from './start-dealing.ts';
import { takeStartable } from './takeoff.ts';
import type { Takeoff } from './takeoff.ts';

const LEND_AFTER_MS = 1_000;

export interface DepartureOptions {
  readonly memory: RunMemory;
  readonly walk: PageWalk;
  readonly context: { readonly plan: RunPlan };
  readonly flow: Flow;
  /** Whether the history would pass its budget with so many units still to run. */
  readonly isFull: (units: number) => boolean;
}

/** Nothing keeps the run from starting more. */
export const isGoing = ({ memory }: DepartureOptions, { stop, fault }: Flight): boolean =>
  memory.control === 'running' && stop === null && fault === null;

/** A run begins no page that it could not finish within its history; it begins at least one, else a chain of runs would get nowhere. */
export const drainIfFull = ({ walk, isFull }: DepartureOptions, flight: Flight): void => {
  if (walk.hasBegun() && isFull(walk.owedUnits() + walk.freshUnits())) flight.isDraining = true;
  // A listing in flight goes on from the cursor as it is now: what it answers is dropped with the rest.
  if (flight.isDraining && !flight.isListing) walk.dropUnbegun();
};

/** Start times that each lane may have ahead: its share of a batch while there are units to come, so that those who take a lane over find theirs. */
const startsPerLane = ({ walk, context }: DepartureOptions, flight: Flight, gate: Gate): number => {
  if (walk.openItems() === 0) return Infinity;
  const free = flight.chunks < context.plan.chunksInFlight ? Math.min(flight.slots, gate.free(Date.now())) : 0;
  return gate.startsIn(BATCH_MS) / Math.max(1, lanesInUse(context.plan, flight) + free);
};

/** Takes all units that may start now. */
const takeUnits = (options: DepartureOptions, flight: Flight): readonly Takeoff[] => {
  const { memory, walk, context, flow } = options;
  const gate = flow.gates.execute;
  const taken: Takeoff[] = [];
  for (let promised = 0; memory.control === 'running' && flight.slots > 0;) {
    drainIfFull(options, flight);
    if (flight.isDraining && walk.freshUnits() > 0) break;
    const next = takeStartable({ walk, plan: context.plan, gate, promised }, flight, Date.now());
    if (next === undefined) break;
    const { unit, lanes } = next;
    flight.slots -= lanes;
    flight.chunks += unit.kind === 'item' ? 0 : 1;
    taken.push(next);
    if (unit.kind !== 'chunk') continue;
    flight.chunksOpen.open(unit, lanes, gate?.isPaced() ?? false);
    if (gate !== null) promised += Math.min(unit.itemIds.length, Math.ceil(lanes * startsPerLane(options, flight, gate)));
  }
  return taken;
};

/** Takes the units that start now, and deals start times to the chunks: those that leave at the same moment share them with those that are open. */
export const takeDepartures = (options: DepartureOptions, flight: Flight): readonly Takeoff[] => {
  const taken = takeUnits(options, flight);
  const gate = options.flow.gates.execute;
  if (gate !== null && options.memory.control === 'running')
    flight.chunksOpen.deal(gate, Date.now(), { perLane: startsPerLane(options, flight, gate), apartMs: apartFor(flight.laneMs) });
  return taken;
};

/** Lanes that no unit can take: none waits, or the window is full. Under a rate start times are scarce and not lanes. */
const idleLanes = (options: DepartureOptions, flight: Flight): number => {
  const { walk, context, flow } = options;
  const gate = flow.gates.execute;
  const mayDepart = flight.chunks < context.plan.chunksInFlight && (walk.waitingUnits() > 0 || flight.isListing || walk.nextListing() !== null);
  if (!isGoing(options, flight) || mayDepart || gate?.isPaced() === true) return 0;
  return Math.min(flight.slots, gate?.free(Date.now()) ?? Infinity, flight.chunksOpen.appetite());
};

/** Lends lanes that have idled for a second to the chunks at work, so that the last ones do not go through their items one by one. */
export const lendIdleLanes = (options: DepartureOptions, flight: Flight): void => {
  if (idleLanes(options, flight) === 0) return;
  doLater(flight, { summary: 'idle lanes', afterMs: LEND_AFTER_MS }, () => {
    const lent = flight.chunksOpen.lend(idleLanes(options, flight));
    flight.slots -= lent;
    options.flow.gates.execute?.take(lent, 0, Date.now());
  });
};
