import { describe, expect, test } from 'vitest';
import { EMPTY_TALLY, addTallies, computeGateTally, computeSuiteTally, formatTally } from './tally.ts';

const tally = { passed: 3, failed: 0, skipped: [] };

describe('the last line', () => {
  test('counts what passed and what failed', () => {
    expect(formatTally(addTallies([tally, computeGateTally(true), computeGateTally(false)]))).toBe('4 passed, 1 failed');
  });

  test('names each reason of a skip once, on the line before', () => {
    const skipped = ['no Chromium', 'no engine', 'no Chromium'].map((reason, index) => ({ name: `test ${index}`, reason }));
    expect(formatTally({ passed: 1, failed: 0, skipped })).toBe('skipped: 2 × no Chromium; 1 × no engine\n1 passed, 0 failed, 3 skipped');
  });
});

describe('a suite', () => {
  test('that ended well counts what it reported', () => {
    expect(computeSuiteTally(tally, 0)).toEqual(tally);
  });

  test('whose failing tests were reported is not counted twice', () => {
    expect(computeSuiteTally({ ...tally, failed: 2 }, 1).failed).toBe(2);
  });

  test.each([
    ['exited badly although every test passed', tally, 1],
    ['died before it reported', undefined, null],
    ['reported no test at all', EMPTY_TALLY, 0],
  ])('that %s has failed', (_, reported, exitCode) => {
    expect(computeSuiteTally(reported, exitCode).failed).toBe(1);
  });
});
