import { expect, test } from 'vitest';
import { parseRetryAfter } from './model-error.ts';

const now = new Date('2026-12-01T00:00:00Z');

test.each([
  ['30', 30],
  [' 1.5 ', 1.5],
  ['Tue, 01 Dec 2026 00:01:00 GMT', 60],
  ['Mon, 30 Nov 2026 23:00:00 GMT', 0],
  ['-5', null],
  ['soon', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j seconds', (header, seconds) => {
  expect(parseRetryAfter(header, now)).toBe(seconds);
});
