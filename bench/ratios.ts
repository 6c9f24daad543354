import type { Row } from './row.ts';
import type { RateRowName } from './row-names.ts';
import { computeRatio } from './statistics.ts';

/** Each row's floor: the same work without Strata. */
export const FLOORS = {
  slice: 'floorPg',
  sliceCap: 'floorPg',
  sliceTx: 'floorPg',
  item: 'floorTemporal',
  itemCap: 'floorTemporalCap',
} as const satisfies Partial<Record<RateRowName, RateRowName>>;

/** Rows as shares of their floors, by the row's name. */
export type Ratios = { readonly [N in keyof typeof FLOORS]?: number };

/** The ratios of those rows that were measured with their floor. */
export const computeRatios = (rows: readonly Row[]): Ratios => {
  const roundsOf = (name: RateRowName): readonly number[] => rows.find((row) => row.name === name)?.rounds ?? [];
  const pairs = Object.entries(FLOORS) as [keyof typeof FLOORS, RateRowName][];
  return Object.fromEntries(
    pairs.flatMap(([name, floor]) => {
      const ratio = computeRatio(roundsOf(name), roundsOf(floor));
      return ratio === undefined ? [] : [[name, ratio]];
    }),
  );
};
