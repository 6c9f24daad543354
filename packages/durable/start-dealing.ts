/** Lanes may get faster than they were: their times are dealt somewhat closer than they could be used. */
const FASTER = 0.8;

/** Whoever can use start times: items without one, lanes, and the times that are still to come, ascending. */
export interface StartTaker {
  readonly lanes: number;
  readonly bare: number;
  readonly ahead: readonly number[];
}

/** How start times are dealt: so many may be ahead for a lane (Infinity: any number), and those of a lane are so far apart (ms). */
export interface DealTerms {
  readonly perLane: number;
  readonly apartMs: number;
}

/** How far apart the start times of one lane may be dealt when an item keeps it for so long, ms. */
export const apartFor = (laneMs: number): number => laneMs * FASTER;

const roomOf = ({ lanes }: StartTaker, { perLane }: DealTerms): number => Math.ceil(perLane * lanes);

interface Hand {
  readonly taker: StartTaker;
  readonly starts: number[];
}

const loadOf = ({ taker, starts }: Hand): number => (taker.ahead.length + starts.length) / taker.lanes;

const canUse = ({ taker, starts }: Hand, time: number, terms: DealTerms): boolean => {
  const last = starts.at(-1) ?? taker.ahead.at(-1) ?? -Infinity;
  const hasRoom = starts.length < taker.bare && taker.ahead.length + starts.length < roomOf(taker, terms);
  return hasRoom && time - last >= terms.apartMs / taker.lanes;
};

const leastLoaded = (hands: readonly Hand[]): Hand | undefined =>
  hands.reduce<Hand | undefined>((least, hand) => (least === undefined || loadOf(hand) < loadOf(least) ? hand : least), undefined);

/** True when half of the times that it may have ahead are over: with less there would be a message for each. */
const isDue = (taker: StartTaker, terms: DealTerms): boolean => taker.bare > 0 && taker.lanes > 0 && taker.ahead.length <= roomOf(taker, terms) / 2;

/**
 * Deals start times (ms, ascending) in turn, each to whoever has the fewest ahead for its lanes, none closer for a lane than its items take.
 * Answers the times of each taker, ascending; those that nobody can use stay over. Pure.
 */
export const dealStarts = (takers: readonly StartTaker[], times: readonly number[], terms: DealTerms): readonly (readonly number[])[] => {
  const hands = takers.map((taker) => ({ taker, starts: [] as number[] }));
  const due = hands.filter(({ taker }) => isDue(taker, terms));
  for (const time of times) leastLoaded(due.filter((hand) => canUse(hand, time, terms)))?.starts.push(time);
  return hands.map(({ starts }) => starts);
};
