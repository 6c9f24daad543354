import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CaseState, CaseVerdict } from '../contracts/eval-result.ts';
import type { Trajectory } from '../contracts/trajectory.ts';
import { computeCaseVerdict, computeRunStatus, computeRunSummary } from './accounting.ts';
import { computePercentile } from './figures.ts';

type Given = Partial<Omit<CaseVerdict, 'status'>>;

const one = (state: CaseState, verdict?: Given) => ({ state, ...(verdict === undefined ? {} : { verdict }) });
const trajectory = (k: number, given: Partial<Trajectory>): Trajectory => ({ round: 0, k, grading: [], ...given });

describe('the accounting of a run', () => {
  test('A2: sums, means and shares of one passed and one failed case', () => {
    const summary = computeRunSummary([
      one('passed', { score: 1, costUsd: 0.01, latencyMs: 1_000, calls: 3, steps: 5, tokens: 50, toolCalls: 2 }),
      one('failed', { score: 0.5, costUsd: 0.02, latencyMs: 2_000, calls: 4, steps: 8, tokens: 80, toolCalls: 6 }),
    ]);
    expect(summary).toMatchObject({ passRate: 0.5, averageScore: 0.75 });
    expect(summary.figures).toEqual({ costUsd: 0.03, latencyMs: 3_000, calls: 7, steps: 13, tokens: 130, toolCalls: 8 });
    expect(summary.totals).toEqual(summary.figures);
    expect(summary.perCase).toMatchObject({ costUsd: 0.015, calls: 3.5, steps: 6.5, tokens: 65, toolCalls: 4 });
  });

  test('A3: errors count in the pass rate and not in the average; all error is failed; none is zeros', () => {
    const some = computeRunSummary([one('passed', { score: 1 }), one('failed', { score: 0.3 }), one('error'), one('error')]);
    expect(some).toMatchObject({ passRate: 0.25, averageScore: 0.65 });
    expect(computeRunStatus(some.counts)).toBe('completed');
    const all = computeRunSummary([one('error'), one('error')]);
    expect(all).toMatchObject({ passRate: 0, averageScore: 0 });
    expect(computeRunStatus(all.counts)).toBe('failed');
    const none = computeRunSummary([]);
    expect(none).toMatchObject({ total: 0, ended: 0, passRate: 0, averageScore: 0, figures: {}, perCase: {}, latencyP50Ms: null });
  });

  test('A4: a time-out keeps the time it took', () => {
    const summary = computeRunSummary([one('passed', { score: 1, latencyMs: 1_000 }), one('timeout', { latencyMs: 1_200_000 }), one('error')]);
    expect(summary).toMatchObject({ passRate: 1 / 3, averageScore: 1, counts: { timeout: 1, error: 1 } });
    expect(summary.figures.latencyMs).toBe(1_201_000);
    expect(computeRunStatus(summary.counts)).toBe('completed');
  });

  test('A5: means are rounded per figure; a run that goes on counts its selection', () => {
    const { perCase } = computeRunSummary([
      one('passed', { tokens: 50, steps: 3 }),
      one('failed', { tokens: 80, steps: 6 }),
      one('error', { tokens: 10, steps: 1 }),
    ]);
    expect(perCase).toEqual({ tokens: 47, steps: 3.3 });
    const going = computeRunSummary([one('passed'), one('failed'), one('running'), ...Array.from({ length: 7 }, () => one('pending'))]);
    expect(going).toMatchObject({ total: 10, ended: 2, passRate: 0.1 });
  });

  test('A7: with k = 3 the run adds up means and totals and has both shares', () => {
    const summary = computeRunSummary([
      one('passed', { passAtK: true, passAllK: true, costUsd: 0.03, totals: { costUsd: 0.09 } }),
      one('passed', { passAtK: true, passAllK: false, costUsd: 0.02, totals: { costUsd: 0.06 } }),
      one('failed', { passAtK: false, passAllK: false, costUsd: 0.01, totals: { costUsd: 0.03 } }),
    ]);
    expect(summary).toMatchObject({ passAtK: 2 / 3, passAllK: 1 / 3, figures: { costUsd: 0.06 }, totals: { costUsd: 0.18 } });
  });

  test('is external as soon as one case is', () => {
    expect(computeRunStatus(computeRunSummary([one('error'), one('external')]).counts)).toBe('external');
  });

  test('has shares between 0 and 1 and counts that add up, whatever the cases', () => {
    const states: CaseState[] = ['pending', 'running', 'passed', 'failed', 'error', 'timeout', 'completed'];
    const cases = fc.array(
      fc.record({
        state: fc.constantFrom(...states),
        verdict: fc.record({ score: fc.double({ min: 0, max: 1, noNaN: true }), latencyMs: fc.nat() }),
      }),
    );
    fc.assert(
      fc.property(cases, (given) => {
        const summary = computeRunSummary(given);
        expect(Object.values(summary.counts).reduce((a, b) => a + b, 0)).toBe(given.length);
        expect(summary.averageScore).toBeGreaterThanOrEqual(0);
        expect(summary.averageScore).toBeLessThanOrEqual(1);
        expect(summary.passRate).toBeLessThanOrEqual(1);
        expect(summary.latencyP95Ms ?? 0).toBeGreaterThanOrEqual(summary.latencyP50Ms ?? 0);
      }),
    );
  });

  test('takes 100,000 cases', () => {
    const summary = computeRunSummary(Array.from({ length: 100_000 }, (_, index) => one('passed', { score: 1, latencyMs: index + 1 })));
    expect(summary).toMatchObject({ passRate: 1, latencyP50Ms: 50_000, latencyP95Ms: 95_000 });
  });
});

describe('the verdict of a case', () => {
  const first = { costUsd: 0.01, latencyMs: 1_000, tokens: 50, steps: 5 };
  const second = { costUsd: 0.02, latencyMs: 2_000, tokens: 80, steps: 8 };
  const ofTwo = (a: boolean, b: boolean) =>
    computeCaseVerdict([trajectory(0, { ...first, score: Number(a), passed: a }), trajectory(1, { ...second, score: Number(b), passed: b })], 2);

  test('A6: with k = 2 has means, totals and both shares', () => {
    expect(ofTwo(true, false)).toMatchObject({
      costUsd: 0.015,
      latencyMs: 1_500,
      tokens: 65,
      steps: 6.5,
      totals: { costUsd: 0.03, latencyMs: 3_000, tokens: 130, steps: 13 },
      status: 'passed',
      passAtK: true,
      passAllK: false,
    });
    expect(ofTwo(true, true)).toMatchObject({ status: 'passed', passAtK: true, passAllK: true });
    expect(ofTwo(false, false)).toMatchObject({ status: 'failed', passAtK: false, passAllK: false });
  });

  test('takes score, answer and reasons of the best trajectory', () => {
    const verdict = computeCaseVerdict(
      [trajectory(0, { score: 0.2, passed: false, output: 'a' }), trajectory(1, { score: 0.4, passed: false, output: 'b' })],
      2,
    );
    expect(verdict).toMatchObject({ status: 'failed', score: 0.4, output: 'b' });
  });

  test('has no shares for k = 1 and is completed without a grade', () => {
    expect(computeCaseVerdict([trajectory(0, { output: 'x' })], 1)).toEqual({
      status: 'completed',
      score: 0,
      k: 1,
      totals: {},
      output: 'x',
      grading: [],
    });
  });

  test('is an error only if nothing could be judged, a time-out if nothing came in time', () => {
    const error = { round: 0, k: 0, error: { type: 'ProviderRefused', message: 'no' } };
    const late = { round: 0, k: 1, error: { type: 'ItemTimeout', message: 'late' } };
    expect(computeCaseVerdict([error, trajectory(1, { score: 0, passed: false })], 2).status).toBe('failed');
    expect(computeCaseVerdict([error, late], 2)).toMatchObject({ status: 'error', score: 0, passAtK: false });
    expect(computeCaseVerdict([late], 1)).toMatchObject({ status: 'timeout', error: { type: 'ItemTimeout' } });
  });

  test('keeps the beginning of a long answer only', () => {
    expect(computeCaseVerdict([trajectory(0, { output: 'x'.repeat(9_000) })], 1).output).toHaveLength(4_001);
  });
});

test('a percentile is the nearest rank', () => {
  expect([0.5, 0.95].map((share) => computePercentile([5, 1, 3, 2, 4], share))).toEqual([3, 5]);
  expect(computePercentile([7], 0.5)).toBe(7);
  expect(computePercentile([], 0.5)).toBeNull();
});
