import { describe, expect, test } from 'vitest';
import { definePipeline } from '../../packages/contracts/pipeline.ts';
import { computeRateLimitWait, computeRetryWait } from './retry-waits.ts';

const contract = definePipeline({ type: 'waits', entity: 'waits', description: 'waits', fields: {}, scopeField: null, smokeInput: {} });
const linear = { retry: { attempts: 3, firstWaitMs: 1_000, growth: 'linear' } } as const;
const DRAWS = Array.from({ length: 500 }, (_, index) => index);

const expectWithin = (waits: readonly number[], seconds: number): void => {
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds * 1_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(seconds * 1_200);
};

describe('the wait before the next attempt', () => {
  test.each([
    [1, 2],
    [2, 4],
    [3, 8],
    [4, 16],
  ])('after attempt %i is %i s plus 0 to 20 %%', (attempt, seconds) => {
    expectWithin(
      DRAWS.map(() => computeRetryWait(contract, attempt)),
      seconds,
    );
  });

  test('I2: the four waits of five attempts add up to 30 to 36 s', () => {
    const sums = DRAWS.map(() => [1, 2, 3, 4].reduce((sum, attempt) => sum + computeRetryWait(contract, attempt), 0));
    expectWithin(sums, 30);
  });

  test('differs between items, so that they do not all come back at once', () => {
    expect(new Set(DRAWS.map(() => computeRetryWait(contract, 1))).size).toBeGreaterThan(100);
  });

  test('grows by the first wait each time where the contract says linear', () => {
    expectWithin(
      DRAWS.map(() => computeRetryWait(linear, 3)),
      3,
    );
  });
});

describe('the wait after a rate-limit answer', () => {
  test.each([
    [1, 1],
    [30, 30],
    [60, 60],
    [1_200, 60],
    [36_000, 60],
  ])('told %i s, an item waits %i s plus 0 to 20 %%', (told, seconds) => {
    expectWithin(
      DRAWS.map(() => computeRateLimitWait(contract, told, 1)),
      seconds,
    );
  });

  test('told nothing, an item waits its own waits, 60 s at most', () => {
    expectWithin(
      DRAWS.map(() => computeRateLimitWait(contract, null, 1)),
      2,
    );
    expectWithin(
      DRAWS.map(() => computeRateLimitWait(contract, null, 2)),
      4,
    );
    expect(computeRateLimitWait(contract, null, 10)).toBe(60_000);
  });
});
