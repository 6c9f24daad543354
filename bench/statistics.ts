/** The middle value; of an even number, the lower of the two in the middle, so that it is one that was measured. Throws RangeError without values. */
export const computeMedian = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('no values to take the median of');
  return middle;
};

/** The value that so large a share of the values does not exceed. Throws RangeError without values. */
export const computePercentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((left, right) => left - right);
  const at = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (at === undefined) throw new RangeError('no values to take a percentile of');
  return at;
};

/** Rounds to so many digits behind the point. */
export const roundTo = (value: number, digits: number): number => Number(value.toFixed(digits));

/**
 * How a row stands to its floor: the median over the rounds of the two rates of one round, because the machine's speed drifts between rounds
 * and hardly within one. Undefined where a round has only one of them.
 */
export const computeRatio = (row: readonly number[], floor: readonly number[]): number | undefined => {
  if (row.length === 0 || row.length !== floor.length) return undefined;
  return roundTo(computeMedian(row.map((rate, round) => rate / (floor[round] as number))), 3);
};

/** Index of the element whose value is the median. */
export const findMedianIndex = (values: readonly number[]): number => values.indexOf(computeMedian(values));

/** The order of a round: every second one runs backwards, so that what warms up or slows down meets all rows alike. */
export const orderOfRound = <T>(rows: readonly T[], round: number): readonly T[] => (round % 2 === 0 ? rows : [...rows].reverse());
