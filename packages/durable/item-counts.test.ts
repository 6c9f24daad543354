import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_ITEMS } from '../contracts/counts.ts';
import { addItemCounts, maxItemCounts } from './item-counts.ts';

const counts = fc.record({ succeeded: fc.nat(), failed: fc.nat(), skipped: fc.nat(), interrupted: fc.nat() });

test('counts add up whatever their order and grouping', () => {
  fc.assert(
    fc.property(counts, counts, counts, (a, b, c) => {
      expect(addItemCounts(a, NO_ITEMS)).toEqual(a);
      expect(addItemCounts(a, b)).toEqual(addItemCounts(b, a));
      expect(addItemCounts(addItemCounts(a, b), c)).toEqual(addItemCounts(a, addItemCounts(b, c)));
    }),
  );
});

test('the greater of two counts is never below either, and never above both', () => {
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      const most = maxItemCounts(a, b);
      for (const key of ['succeeded', 'failed', 'skipped', 'interrupted'] as const) expect(most[key]).toBe(Math.max(a[key], b[key]));
      expect(maxItemCounts(a, {})).toEqual(a);
      expect(maxItemCounts(most, b)).toEqual(most);
    }),
  );
});
