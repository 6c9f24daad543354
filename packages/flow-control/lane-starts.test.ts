import { expect, test } from 'vitest';
import { LaneStarts } from './lane-starts.ts';

test('lanes take times in order, also those that are a little late', () => {
  const starts = new LaneStarts({ times: [1_000, 1_100, 1_200, 1_300], left: 4, owed: 0 });
  expect([starts.take(1_000), starts.take(1_190), starts.take(1_290)]).toEqual([1_000, 1_100, 1_200]);
});

test('of times that have gone by the last is used at once, and the others are left', () => {
  const starts = new LaneStarts({ times: [1_000, 1_100, 1_200, 2_000, 2_100], left: 5, owed: 0 });
  expect([starts.take(1_500), starts.take(1_500)]).toEqual([1_200, 2_000]);
});

test('a time that is a second overdue is void', () => {
  const starts = new LaneStarts({ times: [1_000], left: 2, owed: 0 });
  expect(starts.take(2_001)).toBeUndefined();
  starts.add([3_000]);
  expect(starts.take(2_001)).toBe(3_000);
});

test('times that the parent still owes are not asked for', () => {
  const starts = new LaneStarts({ times: [1_000], left: 3, owed: 2 });
  starts.take(1_000);
  expect(starts.claim(1)).toBe(0);
  starts.add([1_100]);
  starts.take(1_100);
  expect(starts.claim(1)).toBe(0);
});

test('times that went by are asked for again, once, when few are at hand for each lane', () => {
  const starts = new LaneStarts({ times: [1_000, 1_100, 3_000, 3_100, 3_200, 3_300, 3_400], left: 7, owed: 0 });
  expect(starts.take(2_500)).toBe(3_000);
  expect(starts.claim(1)).toBe(0);
  expect(starts.take(2_500)).toBe(3_100);
  expect(starts.claim(1)).toBe(2);
  expect(starts.claim(1)).toBe(0);
  starts.add([3_500, 3_600]);
  for (const time of [3_200, 3_300, 3_400, 3_500, 3_600]) expect(starts.take(3_000)).toBe(time);
  expect(starts.claim(1)).toBe(0);
});

test('a chunk that was not paced and now is asks for all that is left', () => {
  const starts = new LaneStarts({ times: [], left: 7, owed: 0 });
  expect(starts.claim(2)).toBe(7);
});
