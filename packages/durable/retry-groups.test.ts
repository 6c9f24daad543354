import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupRetries } from './retry-groups.ts';

const retries = fc.uniqueArray(fc.record({ itemId: fc.string({ minLength: 1 }), afterMs: fc.integer({ min: 0, max: 80_000 }) }), {
  selector: ({ itemId }) => itemId,
  maxLength: 200,
});

test('every item waits in exactly one group, never shorter than it must and at most a quarter longer', () => {
  fc.assert(
    fc.property(retries, (waits) => {
      const groups = groupRetries(waits);
      const grouped = groups.flatMap(({ itemIds, afterMs }) => itemIds.map((itemId) => ({ itemId, afterMs })));
      expect(grouped.map(({ itemId }) => itemId).toSorted()).toEqual(waits.map(({ itemId }) => itemId).toSorted());
      for (const { itemId, afterMs } of grouped) {
        const must = waits.find((wait) => wait.itemId === itemId)?.afterMs ?? 0;
        expect(afterMs).toBeGreaterThanOrEqual(must);
        expect(afterMs).toBeLessThanOrEqual(must * 1.25);
      }
    }),
  );
});

test('few timers serve many items: waits of 2 to 2.4 s are one group', () => {
  const waits = Array.from({ length: 100 }, (_, index) => ({ itemId: `i${index}`, afterMs: 2_000 + index * 4 }));
  expect(groupRetries(waits)).toEqual([{ itemIds: waits.map(({ itemId }) => itemId), afterMs: 2_396 }]);
});

test('the list it was given stays as it was', () => {
  const waits = Object.freeze([Object.freeze({ itemId: 'b', afterMs: 9 }), Object.freeze({ itemId: 'a', afterMs: 1 })]);
  expect(groupRetries(waits)).toEqual([
    { itemIds: ['a'], afterMs: 1 },
    { itemIds: ['b'], afterMs: 9 },
  ]);
});
