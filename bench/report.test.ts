import { describe, expect, test } from 'vitest';
import { judge } from './bars.ts';
import { computeRatios } from './ratios.ts';
import { toMarkdown, toText } from './report.ts';
import type { BenchReport } from './report.ts';
import { failedRow, toRow } from './row.ts';
import type { Row } from './row.ts';
import type { RateRowName } from './row-names.ts';
import { replaceSection } from './section.ts';
import { computeSizes } from './sizes.ts';

const rate = (name: RateRowName, rounds: readonly number[], more: Partial<Row> = {}): Row => ({
  name,
  items: 1_000,
  seconds: 1,
  itemsPerSecond: rounds[0] ?? null,
  cpuSeconds: 0.5,
  peakRssMb: 100,
  commitsPerItem: 1,
  rounds,
  ...more,
});

const FLOORS = [rate('floorPg', [4_000, 2_000, 3_000]), rate('floorTemporal', [500, 400, 300])];
const idle = (workerCpuMsPerSecond: number): Row =>
  toRow('idle', { figures: { workerCpuMsPerSecond, temporalCpuMsPerSecond: 4, postgresCpuMsPerSecond: 1 } });

const barsOf = (rows: readonly Row[], isFull = true) => judge(rows, computeRatios(rows), isFull);

const reportOf = (rows: readonly Row[], isFull = true): BenchReport => ({
  machine: { cpu: 'Some CPU', cores: 2, memoryGib: 24, kernel: 'Linux 6', node: 'v24', postgres: '18.4', temporal: '1.32.0', commitMs: 1.2 },
  isFull,
  rounds: 3,
  rows,
  ratios: computeRatios(rows),
  bars: barsOf(rows, isFull),
});

describe('ratios', () => {
  test('stand beside each row that was measured with its floor', () => {
    const rows = [...FLOORS, rate('slice', [2_000, 1_000, 1_500]), rate('item', [400, 320, 240]), rate('itemCap', [200, 200, 200])];
    expect(computeRatios(rows)).toEqual({ slice: 0.5, item: 0.8 });
  });
});

describe('a bar', () => {
  test('is met at its limit and missed beyond it', () => {
    expect(barsOf([idle(15)])).toMatchObject([{ bar: '≤ 15 ms', measured: 15, met: true }]);
    expect(barsOf([idle(15.1)])).toMatchObject([{ measured: 15.1, met: false }]);
    expect(barsOf([...FLOORS, rate('slice', [1_800, 900, 1_350])])).toMatchObject([{ bar: '≥ 0.45', measured: 0.45, met: true }]);
    expect(barsOf([...FLOORS, rate('slice', [1_796, 898, 1_347])])).toMatchObject([{ measured: 0.449, met: false }]);
  });

  test('is listed only for rows that were asked for, and is not judged without its floor', () => {
    expect(barsOf(FLOORS)).toEqual([]);
    expect(barsOf([rate('slice', [1_000])])).toMatchObject([{ measured: null, met: null }]);
  });

  test('is not judged at reduced size', () => {
    expect(barsOf([idle(99)], false)).toMatchObject([{ measured: 99, met: null }]);
  });

  test('is missed by a row that failed, and by one whose limit nobody enforced', () => {
    expect(barsOf([failedRow('idle', 'the worker died')])).toMatchObject([{ measured: null, met: false }]);
    expect(barsOf([...FLOORS, rate('sliceCap', [4_000, 2_000, 3_000], { problem: 'not enforced' })])).toMatchObject([{ measured: 1, met: false }]);
  });

  test('compares what recovery costs with what the other half takes anyway', () => {
    const figures = { onlyFirstNewItemSeconds: 3, onlyLastItemSeconds: 9, onlyHalfSeconds: 2, onlyInFlight: 7, onlyExecutedTwice: 7, onlyNotDone: 0 };
    const row = toRow('recovery', { figures: figures as never });
    const only = barsOf([row]).filter(({ what }) => what.startsWith('kill -9 of the only worker, by item'));
    expect(only.map(({ measured, met }) => [measured, met])).toEqual([
      [3, true],
      [7, false],
      [0, true],
      [0, true],
    ]);
  });
});

describe('a report', () => {
  const rows = [...FLOORS, rate('slice', [1_000, 500, 750]), failedRow('memory', 'the run did not end')];

  test.each([
    ['text', toText],
    ['Markdown', toMarkdown],
  ])('as %s names the machine, each row, each bar and what does not count', (_, show) => {
    const text = show(reportOf(rows));
    for (const part of ['Some CPU, 2 cores', 'floorPg', '0.25', '≥ 0.45', 'NO', '`memory` does not count: the run did not end'])
      expect(text).toContain(part);
  });

  test('says when it was measured at reduced size', () => {
    expect(toMarkdown(reportOf(rows, false))).toContain('reduced size');
    expect(toMarkdown(reportOf(rows))).not.toContain('reduced size');
  });
});

describe('the section of a document', () => {
  const [begin, end] = ['<!-- strata bench: begin -->', '<!-- strata bench: end -->'];

  test('is replaced between its markers, and nothing else is', () => {
    expect(replaceSection(`before\n${begin}\nold\n${end}\nafter`, 'new')).toBe(`before\n${begin}\n\nnew\n\n${end}\nafter`);
  });

  test.each(['no markers', `${end} ${begin}`, `${begin} ${begin} ${end}`, `${begin} ${end} ${end}`])('is refused in "%s"', (text) => {
    expect(replaceSection(text, 'new')).toBeUndefined();
  });
});

describe('sizes', () => {
  test('are those of the bars unless told otherwise', () => {
    expect(computeSizes()).toMatchObject({ isFull: true, byItem: 2_000, bySlice: 10_000, capped: 1_000, crowd: 5_000, memoryLarge: 100_000 });
  });

  test('shrink in proportion', () => {
    expect(computeSizes(200)).toMatchObject({ isFull: false, byItem: 200, bySlice: 1_000, recovery: 200, memorySmall: 1_000, memoryLarge: 10_000 });
  });
});
