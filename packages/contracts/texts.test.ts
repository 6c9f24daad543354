import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { probeContract } from './probe.ts';
import { computeProcessed, computeRemaining, endMessages } from './texts.ts';

const counts = fc.record({ succeeded: fc.nat(1e6), failed: fc.nat(1e6), skipped: fc.nat(1e6), interrupted: fc.nat(1e6) });

test('what is remaining and what is processed make up what was to process, and remaining is never below 0', () => {
  fc.assert(
    fc.property(counts, fc.nat(4e6), (items, toProcess) => {
      const remaining = computeRemaining(toProcess, items);
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(remaining).toBe(Math.max(0, toProcess - computeProcessed(items)));
      expect(computeProcessed({ ...items, failed: items.failed + 1 })).toBe(computeProcessed(items) + 1);
    }),
  );
});

describe('the messages of a run', () => {
  const say = endMessages(probeContract.texts);
  const items = { succeeded: 113, failed: 7, skipped: 0, interrupted: 3 };

  test('are worded as specified', () => {
    expect(say.dryRun(80)).toBe('[DryRun] Would process 80 items');
    expect(say.noEligible()).toBe('No eligible items found');
    expect(say.allProcessed()).toBe('All items already processed');
    expect(say.nothingToRedrive()).toBe('No failed items to redrive');
    expect(say.completed({ ...items, failed: 0, succeeded: 90 })).toBe('Processed 90 items');
    expect(say.completedWithFailures(items)).toBe('Processed 120 items, 7 failed');
    expect(say.aborted(items, { toProcess: 200 })).toBe('Aborted: 120 of 200 items processed');
    expect(say.threshold(items, { toProcess: 120 })).toBe('7 of 120 items failed');
  });

  test('take verb and noun from the contract', () => {
    const evals = endMessages({
      noun: 'test cases',
      verb: 'execute',
      verbPast: 'executed',
      noEligible: 'No test cases in dataset',
      allProcessed: 'All test cases already executed',
    });
    expect(evals.dryRun(1)).toBe('[DryRun] Would execute 1 test cases');
    expect(evals.completed({ ...items, failed: 0 })).toBe('Executed 113 test cases');
    expect(evals.noEligible()).toBe('No test cases in dataset');
  });
});
