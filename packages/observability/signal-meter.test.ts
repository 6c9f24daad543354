import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noopMetricMeter } from '@temporalio/common';
import { createSignalMeter } from './signal-meter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the age that a sweep saw is no news any more when other workers have swept since', () => {
  const seen: number[] = [];
  const gauge = noopMetricMeter.createGauge('any');
  vi.spyOn(gauge, 'set').mockImplementation((value) => void seen.push(value));
  vi.spyOn(noopMetricMeter, 'createGauge').mockReturnValue(gauge);
  const meter = createSignalMeter(noopMetricMeter);
  meter.oldestPending(32);
  vi.advanceTimersByTime(60_000);
  meter.oldestPending(62);
  vi.advanceTimersByTime(60_000);
  expect(seen).toEqual([32, 62]);
  vi.advanceTimersByTime(30_000);
  expect(seen).toEqual([32, 62, 0]);
});
