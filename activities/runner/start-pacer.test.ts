import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StartPacer } from './start-pacer.ts';

const run = (starts: readonly (readonly [number, number])[]): number[] => {
  const pacer = new StartPacer();
  return starts.map(([dueMs, readyMs]) => pacer.next(dueMs, readyMs));
};

test('starts that are ready in time are not delayed', () => {
  expect(
    run([
      [100, 1_100],
      [300, 1_300],
      [500, 1_500],
    ]),
  ).toEqual([1_100, 1_300, 1_500]);
});

test('starts that come late in a bunch keep nearly the distance that was planned', () => {
  expect(
    run([
      [100, 2_000],
      [300, 2_000],
      [500, 2_000],
      [900, 2_100],
    ]),
  ).toEqual([2_000, 2_190, 2_380, 2_570]);
});

test('one that was overtaken keeps the smallest distance', () => {
  expect(
    run([
      [100, 1_100],
      [200, 1_200],
      [400, 1_400],
      [300, 1_400],
    ]),
  ).toEqual([1_100, 1_200, 1_400, 1_495]);
});

test('whatever comes late, no second has over a twentieth more starts than were planned for one, plus one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(fc.nat({ max: 3_000 }), { minLength: 1, maxLength: 200 }), (rate, lateness) => {
      const stepMs = 1_000 / rate;
      const starts = run(lateness.map((late, index) => [index * stepMs, index * stepMs + late]));
      starts.forEach((at, index) => {
        expect(at).toBeGreaterThanOrEqual(index * stepMs + lateness[index]!);
        const inSecond = starts.slice(index).filter((other) => other < at + 1_000 - 0.001).length;
        expect(inSecond).toBeLessThanOrEqual(Math.ceil(rate / 0.95) + 1);
      });
    }),
  );
});

test('a run that was late once is in time again after a while', () => {
  const starts = run([[0, 500], ...Array.from({ length: 120 }, (_, index): [number, number] => [(index + 1) * 100, (index + 1) * 100])]);
  expect(starts.at(-1)).toBe(12_000);
});
