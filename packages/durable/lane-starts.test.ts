import { expect, test } from 'vitest';
import { LaneStarts } from './lane-starts.ts';

test('lanes take times in order, and one that is a second overdue is void', () => {
  const starts = new LaneStarts([1_000, 2_500], 1);
  expect(starts.take(2_200)).toBe(2_500);
  expect(starts.take(2_200)).toBeUndefined();
});

test('it asks once before the times run out, and again only when some came', () => {
  const starts = new LaneStarts([1_000, 1_100, 1_200], 2);
  expect(starts.isLow()).toBe(false);
  starts.take(1_000);
  starts.take(1_000);
  expect(starts.isLow()).toBe(true);
  expect(starts.claim(100)).toBe(8);
  expect(starts.isLow()).toBe(false);
  expect(starts.claim(100)).toBe(0);
  starts.add([1_300]);
  expect(starts.isLow()).toBe(false);
  starts.take(1_000);
  expect(starts.isLow()).toBe(true);
});

test('what it asks for follows what it used: twice as much, at most what is left', () => {
  const starts = new LaneStarts([1, 2, 3, 4, 5, 6], 1);
  for (let used = 0; used < 6; used++) starts.take(0);
  expect(starts.claim(100)).toBe(12);
  starts.add([]);
  expect(starts.claim(3)).toBe(3);
  starts.add([]);
  expect(starts.claim(0)).toBe(0);
});
