import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeDetails, describeProgress, readLedger } from './run-progress.ts';
import { createRunMemory } from './run-state.ts';
import type { LedgerReading, RunMemory } from './run-state.ts';

const items = fc.record({ succeeded: fc.nat(1e6), failed: fc.nat(1e6), skipped: fc.nat(1e6), interrupted: fc.constant(0) });
const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

const memoryWith = (more: Partial<RunMemory>): RunMemory => ({
  ...createRunMemory(null),
  counts: { totalEligible: 120, toProcess: 120, alreadyProcessed: 0, deferred: 0, notEligible: 0 },
  ...more,
});

const readingOf = (more: Partial<LedgerReading>): LedgerReading => ({
  items: { succeeded: 0, failed: 0, skipped: 0, interrupted: 0 },
  inFlight: 0,
  asOf: at(0),
  ratePerSecond: null,
  ...more,
});

describe('the rate between two readings', () => {
  test('is what ended in the time between them', () => {
    const first = readLedger(null, { succeeded: 10, failed: 1, skipped: 0, inFlight: 3, asOf: at(0) });
    expect(first).toMatchObject({ ratePerSecond: null, inFlight: 3 });
    expect(readLedger(first, { succeeded: 29, failed: 2, skipped: 1, inFlight: 0, asOf: at(2_000) }).ratePerSecond).toBe(10.5);
  });

  test('is unknown when no time has passed', () => {
    const first = readLedger(null, { succeeded: 1, failed: 0, skipped: 0, inFlight: 0, asOf: at(5) });
    expect(readLedger(first, { succeeded: 9, failed: 0, skipped: 0, inFlight: 0, asOf: at(5) }).ratePerSecond).toBeNull();
  });
});

describe('progress', () => {
  test('never counts less than the receipts or the last reading, and remaining is what it leaves', () => {
    fc.assert(
      fc.property(items, items, (receipts, read) => {
        const progress = describeProgress('probe/s', memoryWith({ items: receipts, reading: readingOf({ items: read }) }));
        for (const key of ['succeeded', 'failed', 'skipped'] as const) expect(progress[key]).toBe(Math.max(receipts[key], read[key]));
        expect(progress.remaining).toBe(Math.max(0, 120 - progress.succeeded - progress.failed - progress.skipped));
      }),
    );
  });

  test('tells the time left from the rate, and nothing while the rate is unknown or nil', () => {
    const eta = (ratePerSecond: number | null) => describeProgress('probe/s', memoryWith({ reading: readingOf({ ratePerSecond }) })).etaSeconds;
    expect([eta(50), eta(0), eta(null)]).toEqual([3, null, null]);
    expect(describeProgress('probe/s', createRunMemory(null))).toMatchObject({
      remaining: null,
      etaSeconds: null,
      requestId: null,
      state: 'running',
    });
  });

  test('of an ended run has nothing in flight, no rate and no time left', () => {
    expect(describeProgress('probe/s', memoryWith({ ended: 'aborted', reading: readingOf({ inFlight: 4, ratePerSecond: 10 }) }))).toMatchObject({
      state: 'aborted',
      inFlight: 0,
      ratePerSecond: null,
      etaSeconds: null,
    });
  });

  test('in the details has the same numbers, below the 20 kB that the server takes', () => {
    fc.assert(
      fc.property(items, (receipts) => {
        const progress = describeProgress('probe/s', memoryWith({ items: receipts }));
        const details = describeDetails(progress, 'items');
        expect(details.length).toBeLessThan(20_000);
        expect(details).toContain(`| processed | ${120 - (progress.remaining ?? 0)} of 120 items`);
        for (const key of ['succeeded', 'failed', 'skipped'] as const) expect(details).toContain(`| ${key} | ${progress[key]} |`);
      }),
    );
  });
});
