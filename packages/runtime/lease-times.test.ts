import { expect, test } from 'vitest';
import { computeRenewalWait } from './lease-times.ts';

test.each([
  ['alone', null, 500],
  ['beside workers that renew in time', 1_600, 500],
  ['when another lease falls due before', 120, 125],
  ['when another lease falls due now', 0, 5],
  ['when another lease was due a moment ago', -3, 5],
])('%s, a worker renews after the wait that this calls for', (_where, nextLapseMs, waitMs) => {
  expect(computeRenewalWait(nextLapseMs)).toBe(waitMs);
});
