import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeByteLength } from '../contracts/digest.ts';
import { cutPage, dealSlots } from './units.ts';

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 1_000 }), { maxLength: 120 });
const dispatch = fc.constantFrom('item', 'slice');
const chunkSize = fc.integer({ min: 1, max: 50 });

describe('a page cut into units', () => {
  test('loses nothing, adds nothing, keeps the order, and has no empty unit', () => {
    fc.assert(
      fc.property(dispatch, chunkSize, ids, (kind, size, itemIds) => {
        const units = cutPage({ dispatch: kind, chunkSize: size }, 7, itemIds);
        expect(units.flatMap((unit) => unit.itemIds)).toEqual(itemIds);
        expect(units.every((unit) => unit.itemIds.length > 0 && unit.itemIds.length <= size)).toBe(true);
        expect(units.map(({ page, chunk }) => [page, chunk])).toEqual(units.map((_, index) => [7, index + 1]));
      }),
    );
  });

  test('of at most one chunk is direct items, of more is chunk children, and in slices is always slices', () => {
    fc.assert(
      fc.property(chunkSize, ids, (size, itemIds) => {
        const kinds = new Set(cutPage({ dispatch: 'item', chunkSize: size }, 1, itemIds).map(({ kind }) => kind));
        expect([...kinds]).toEqual(itemIds.length === 0 ? [] : [itemIds.length <= size ? 'item' : 'chunk']);
        expect(cutPage({ dispatch: 'slice', chunkSize: size }, 1, itemIds).every(({ kind }) => kind === 'slice')).toBe(true);
      }),
    );
  });

  test('gives no chunk more than 60 KiB of ids, however long they are', () => {
    const itemIds = Array.from({ length: 500 }, (_, index) => `${index}-${'😀'.repeat(240)}`);
    const units = cutPage({ dispatch: 'slice', chunkSize: 500 }, 1, itemIds);
    expect(units.flatMap((unit) => unit.itemIds)).toEqual(itemIds);
    expect(Math.max(...units.map((unit) => computeByteLength(JSON.stringify(unit.itemIds))))).toBeLessThanOrEqual(60 * 1024);
  });
});

test('slots dealt one unit after another never exceed those that are free while one is left, and leave none idle', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 100 }), (total, sizes) => {
      let free = total;
      let started = 0;
      for (const [index, items] of sizes.entries()) {
        if (free === 0) break;
        const slots = dealSlots({ free, contenders: sizes.length - index, items });
        expect(slots).toBeGreaterThanOrEqual(1);
        expect(slots).toBeLessThanOrEqual(Math.min(free, items));
        free -= slots;
        started++;
      }
      expect(free === 0 || started === sizes.length).toBe(true);
    }),
  );
});
