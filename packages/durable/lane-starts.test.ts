import { expect, test } from 'vitest';
import { LaneStarts } from './lane-starts.ts';

test('lanes take times in order, and one that is a second overdue is void', () => {
  const starts = new LaneStarts([1_000, 2_500]);
  expect(starts.take(2_200)).toBe(2_500);
  expect(starts.take(2_200)).toBeUndefined();
});

test('a waiting lane asks once; more lanes that wait meanwhile do not ask again until something came', () => {
  const starts = new LaneStarts([]);
  expect(starts.wait()).toBe(true);
  expect(starts.claim(10)).toBe(1);
  expect(starts.wait()).toBe(false);
  starts.add([5_000], 4_000);
  starts.resume();
  expect(starts.wait()).toBe(true);
});

test('what it asks for follows what it used: twice as much, at most what is left', () => {
  const starts = new LaneStarts([1, 2, 3, 4]);
  for (let used = 0; used < 4; used++) starts.take(0);
  starts.wait();
  expect(starts.claim(100)).toBe(8);
  expect(starts.claim(3)).toBe(1);
});

test('times that were due before they arrived are told once', () => {
  const starts = new LaneStarts([]);
  starts.add([900, 1_100], 1_000);
  expect(starts.takeLate()).toBe(1);
  expect(starts.takeLate()).toBe(0);
});
