import { describe, expect, test } from 'vitest';
import { blankStatus } from '../../packages/runtime/run-status.ts';
import { parseDuration } from './durations.ts';
import { describeStatus, etaText, lineOf } from './run-text.ts';

const chain = { workflowId: 'probe/s', runId: 'r', pipeline: 'probe' };

describe('a run in one line', () => {
  test('before the count there is only the state', () => {
    expect(lineOf(blankStatus(chain, 'running'))).toBe('running');
  });

  test('done and total, failures, items in flight, rate and time left, each where there is one', () => {
    const status = { ...blankStatus(chain, 'running'), toProcess: 120, remaining: 75, failed: 2, inFlight: 10, ratePerSecond: 12.5, etaSeconds: 6 };
    expect(lineOf(status)).toBe('running · 45/120 items · 2 failed · 10 in flight · 12.5/s · 6 s left');
  });

  test('a queue that nobody serves is named with the time', () => {
    expect(lineOf({ ...blankStatus(chain, 'queued'), noWorkerSince: '2026-11-01T10:00:00.000Z' })).toBe(
      'queued, no worker since 2026-11-01T10:00:00.000Z',
    );
  });
});

test('a run in full leaves out what is not known', () => {
  expect(
    describeStatus(blankStatus(chain, 'queued'))
      .split('\n')
      .map((line) => line.split(/ {2,}/)[0]),
  ).toEqual(['run', 'state', 'succeeded', 'failed', 'pages · chunks · direct']);
});

test.each([
  [null, '–'],
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [3_900, '1 h 5 min'],
])('%s seconds left are %s', (etaSeconds, text) => {
  expect(etaText({ etaSeconds })).toBe(text);
});

test('a span is a whole number with its unit, of a second at least', () => {
  expect(['1s', '15m', '1h', '2d'].map((span) => parseDuration(span, '--every'))).toEqual([1_000, 900_000, 3_600_000, 172_800_000]);
  for (const wrong of ['0s', '1', '-1h', '1.5h', '1w', '', 'h', '1 h'])
    expect(() => parseDuration(wrong, '--every')).toThrow(/--every must be a span like 30s/);
});
