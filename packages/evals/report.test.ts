import { describe, expect, test } from 'vitest';
import type { CaseResult, CaseState } from '../contracts/eval-result.ts';
import { buildReport } from './report.ts';
import type { ReportedRun } from './report.ts';
import { binDurations, binLinear } from './report-charts.ts';
import { formatCost, formatDuration, formatShare } from './report-format.ts';
import { renderReportHtml } from './report-html.ts';
import { renderReportText } from './report-text.ts';

const run: ReportedRun = {
  id: 'run-1',
  benchmark: 'sums & <b>more</b>',
  target: 'module bundled',
  status: 'completed',
  k: 1,
  passThreshold: 0.6,
  createdAt: '2026-12-01T00:00:00.000Z',
  startedAt: '2026-12-01T00:00:01.000Z',
  finishedAt: '2026-12-01T00:01:06.000Z',
};

function makeCase(seq: number, state: CaseState, category?: string): CaseResult {
  const isJudged = state === 'passed' || state === 'failed';
  const score = state === 'passed' ? 1 : 0;
  const verdict = {
    status: state as 'passed',
    score,
    k: 1,
    latencyMs: seq,
    totals: {},
    output: `</script><i>${seq}`,
    grading: [{ type: 'equals', score, reason: `because ${seq}` }],
  };
  return {
    seq,
    caseId: `case-${seq}`,
    state,
    question: `question ${seq}`,
    expected: 'equals: x',
    metadata: category === undefined ? {} : { category },
    ...(isJudged ? { verdict } : {}),
    ...(state === 'error' ? { error: { type: 'ProviderRefused', message: 'Execution error: no' } } : {}),
  };
}

const cases = [
  makeCase(1, 'passed', 'sums'),
  makeCase(2, 'failed', 'sums'),
  makeCase(3, 'error'),
  makeCase(4, 'passed', 'dates'),
  makeCase(5, 'passed', 'sums'),
];
const report = buildReport(run, cases);

describe('a report', () => {
  test('groups by category, most cases first, and knows how long the run took', () => {
    expect(report.categories.map(({ name, total, counts }) => [name, total, counts.passed])).toEqual([
      ['sums', 3, 2],
      ['dates', 1, 1],
      ['uncategorised', 1, 0],
    ]);
    expect(report.wallClockMs).toBe(65_000);
    expect(buildReport({ ...run, finishedAt: null }, []).wallClockMs).toBeNull();
  });

  test('is the same after JSON', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('in the terminal says rate, counts, categories and why cases did not pass', () => {
    const text = renderReportText(report);
    expect(text).toContain('60 % of 5 passed');
    expect(text).toContain('passed 3 · failed 1 · error 1');
    expect(text).toMatch(/sums +█+░+ +2\/3/);
    expect(text).toContain('✗ case-2 failed  equals: because 2');
    expect(text).toContain('✗ case-3 error  Execution error: no');
    expect(text).toContain('took 1 min 5 s');
  });

  test('as a page loads nothing from outside and lets no answer become markup', () => {
    const html = renderReportHtml(report);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(html).not.toContain('<b>more');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    const data = /<script type="application\/json" id="cases">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    expect((JSON.parse(data) as { output: string }[])[0]?.output).toBe('</script><i>1');
  });

  test('as a page of a huge run holds those that did not pass first and says what it leaves out', () => {
    const many = Array.from({ length: 6_000 }, (_, index) => makeCase(index + 1, index === 5_999 ? 'failed' : 'passed'));
    const html = renderReportHtml(buildReport(run, many));
    expect(html).toContain('The table holds 5,000 of 6,000 cases');
    const data = /id="cases">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    expect((JSON.parse(data) as { id: string }[])[0]?.id).toBe('case-6000');
  });

  test('of a run without a case is whole', () => {
    const empty = buildReport(run, []);
    expect(renderReportText(empty)).toContain('0 % of 0 passed');
    expect(renderReportHtml(empty)).toContain('No case was judged');
  });
});

describe('bins', () => {
  test('hold every value once, edges in the upper bin and the greatest in the last', () => {
    expect(binLinear([0, 0.1, 0.55, 0.6, 1], { least: 0, greatest: 1, bins: 10 }).map(({ count }) => count)).toEqual([1, 1, 0, 0, 0, 1, 1, 0, 0, 1]);
  });

  test('grow when times are far apart and stay equal when they are near', () => {
    const far = binDurations([1, 10, 100, 1_000], 3);
    expect(far.map(({ from }) => Math.round(from))).toEqual([1, 10, 100]);
    expect(far.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(binDurations([100, 200, 300], 2).map(({ from }) => from)).toEqual([100, 200]);
    expect(binDurations([], 4).every(({ count }) => count === 0)).toBe(true);
  });
});

test('figures are shown in words that fit their size', () => {
  expect([null, 0.04, 7.25, 820, 4_200, 65_000, 3_725_000].map(formatDuration)).toEqual([
    '–',
    '0 ms',
    '7.3 ms',
    '820 ms',
    '4.2 s',
    '1 min 5 s',
    '1 h 2 min',
  ]);
  expect([0, 0.0001, 0.5, 0.9999, 1].map(formatShare)).toEqual(['0 %', '0.1 %', '50 %', '99.9 %', '100 %']);
  expect([undefined, 0, 0.01234, 12.5].map(formatCost)).toEqual(['–', '$0.00', '$0.0123', '$12.50']);
});
