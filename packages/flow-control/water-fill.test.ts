import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waterFill } from './water-fill.ts';

const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0);

test.each([
  [10, [10, 10], [5, 5]],
  [10, [2, 10, 10], [2, 4, 4]],
  [10, [10, 10, 10], [4, 3, 3]],
  [1, [5, 5], [1, 0]],
  [10, [3, 4], [3, 4]],
  [0, [3], [0]],
  [5, [], []],
])('%i among claims of %j is %j', (amount, claims, shares) => {
  expect(waterFill(amount, claims)).toEqual(shares);
});

test('what cannot be divided goes by the order', () => {
  expect(waterFill(4, [9, 9, 9], [2, 0, 1])).toEqual([1, 1, 2]);
});

test('nothing is lost, nobody gets more than asked, and nobody is short while another has two more', () => {
  fc.assert(
    fc.property(fc.nat({ max: 60 }), fc.array(fc.nat({ max: 20 }), { maxLength: 8 }), (amount, claims) => {
      const shares = waterFill(amount, claims);
      expect(sum(shares)).toBe(Math.min(amount, sum(claims)));
      shares.forEach((share, index) => {
        expect(share).toBeLessThanOrEqual(claims[index]!);
        if (share < claims[index]!) expect(Math.max(...shares)).toBeLessThanOrEqual(share + 1);
      });
    }),
  );
});
