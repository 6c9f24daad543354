import { describe, expect, test } from 'vitest';
import { findReviewWindow } from './nightly-review.ts';

describe('the window of a nightly review', () => {
  test('R1: is the local day before, at two or three in the morning', () => {
    expect(findReviewWindow('2026-05-03T18:30:00.000Z', 'Asia/Shanghai')).toEqual({
      localDate: '2026-05-03',
      timezone: 'Asia/Shanghai',
      from: '2026-05-02T16:00:00.000Z',
      to: '2026-05-03T16:00:00.000Z',
    });
    expect(findReviewWindow('2026-05-03T20:30:00.000Z', 'Asia/Shanghai')).toBeNull();
  });

  test('R2: is the previous UTC day of an unknown zone, and 23 hours long where summer begins', () => {
    expect(findReviewWindow('2026-05-03T02:30:00.000Z', 'Invalid/Zone')).toMatchObject({
      localDate: '2026-05-02',
      from: '2026-05-02T00:00:00.000Z',
      to: '2026-05-03T00:00:00.000Z',
    });
    expect(findReviewWindow('2026-03-30T00:00:00.000Z', 'Europe/Berlin')).toMatchObject({
      localDate: '2026-03-29',
      from: '2026-03-28T23:00:00.000Z',
      to: '2026-03-29T22:00:00.000Z',
    });
  });
});
