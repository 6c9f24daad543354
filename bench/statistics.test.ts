import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeMedian, computeRatio, findMedianIndex, orderOfRound } from './statistics.ts';

describe('the median', () => {
  test.each([
    [[7], 7],
    [[3, 1, 2], 2],
    [[1, 2, 3, 4], 2],
    [[10, 9, 100], 10],
  ])('of %j is %i', (values, median) => {
    expect(computeMedian(values)).toBe(median);
  });

  test('is always one of the values, with no more than half of them on either side', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
        const median = computeMedian(values);
        expect(values).toContain(median);
        expect(values[findMedianIndex(values)]).toBe(median);
        expect(values.filter((value) => value < median).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > median).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  test('of nothing is refused', () => {
    expect(() => computeMedian([])).toThrow(RangeError);
  });
});

describe('a ratio', () => {
  test('compares the two rates of one round, so that a machine that slows down between rounds does not change it', () => {
    expect(computeRatio([400, 200, 100], [1_000, 500, 250])).toBe(0.4);
  });

  test('is that of the middle round, not of the best against the worst', () => {
    expect(computeRatio([500, 450, 100], [1_000, 1_000, 1_000])).toBe(0.45);
  });

  test('does not exist where a round has only one of the two', () => {
    expect(computeRatio([400, 200], [1_000])).toBeUndefined();
    expect(computeRatio([], [])).toBeUndefined();
  });
});

test('every second round runs backwards', () => {
  expect([0, 1, 2].map((round) => orderOfRound(['floor', 'a', 'b'], round))).toEqual([
    ['floor', 'a', 'b'],
    ['b', 'a', 'floor'],
    ['floor', 'a', 'b'],
  ]);
});
