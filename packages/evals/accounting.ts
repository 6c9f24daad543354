import type { CaseResult, CaseState, CaseVerdict } from '../contracts/eval-result.ts';
import type { Figures, Trajectory } from '../contracts/trajectory.ts';
import type { EvalRunStatus } from '../contracts/eval-run.ts';
import { computeMeans, computePercentile, computeRoundedMeans, computeTotals } from './figures.ts';

const LONGEST_PREVIEW = 4_000;

/** Number of cases in each state. */
export type CaseCounts = Readonly<Record<CaseState, number>>;

/** What a run amounts to so far: shares are of all selected cases, averageScore is over passed and failed ones. */
export type RunSummary = {
  readonly total: number;
  readonly ended: number;
  readonly counts: CaseCounts;
  readonly passRate: number;
  readonly averageScore: number;
  readonly passAtK?: number;
  readonly passAllK?: number;
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  readonly figures: Figures;
  readonly totals: Figures;
  readonly perCase: Figures;
};

type Counted = Pick<CaseResult, 'state'> & { readonly verdict?: Partial<CaseVerdict> };

/**
 * Computes a run's figures from its cases (behaviour/pipelines.md section 5.1). With k > 1 `figures` adds up the cases'
 * means and `totals` everything spent; with k = 1 they agree. Per-case means are over the cases that tell the figure.
 */
export function computeRunSummary(cases: readonly Counted[]): RunSummary {
  const counts = countStates(cases);
  const verdicts = cases.flatMap((one) => (one.verdict === undefined ? [] : [one.verdict]));
  const latencies = verdicts.flatMap((one) => one.latencyMs ?? []);
  const judged = cases.filter((one) => one.state === 'passed' || one.state === 'failed');
  const scored = judged.reduce((sum, one) => sum + (one.verdict?.score ?? 0), 0);
  return {
    total: cases.length,
    ended: cases.length - counts.pending - counts.running,
    counts,
    passRate: share(counts.passed, cases.length),
    averageScore: share(scored, judged.length),
    ...computeKShares(verdicts, cases.length),
    latencyP50Ms: computePercentile(latencies, 0.5),
    latencyP95Ms: computePercentile(latencies, 0.95),
    figures: computeTotals(verdicts),
    totals: computeTotals(verdicts.map((one) => one.totals ?? one)),
    perCase: computeRoundedMeans(verdicts),
  };
}

function computeKShares(verdicts: readonly Partial<CaseVerdict>[], total: number): Pick<RunSummary, 'passAtK' | 'passAllK'> {
  if (verdicts.every((one) => one.passAtK === undefined)) return {};
  return {
    passAtK: share(verdicts.filter((one) => one.passAtK === true).length, total),
    passAllK: share(verdicts.filter((one) => one.passAllK === true).length, total),
  };
}

/** Counts the cases in each state. */
export function countStates(cases: readonly Pick<CaseResult, 'state'>[]): CaseCounts {
  const counts = { pending: 0, running: 0, passed: 0, failed: 0, error: 0, timeout: 0, external: 0, completed: 0 };
  for (const { state } of cases) counts[state]++;
  return counts;
}

/** The status that an ended run gets: any external case, then nothing but errors (also of no case at all), else completed. */
export function computeRunStatus(counts: CaseCounts): EvalRunStatus {
  if (counts.external > 0) return 'external';
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return counts.error + counts.timeout >= total ? 'failed' : 'completed';
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/**
 * Sums up a case from its trajectories. One that passed decides for `passed`, one that was judged for `failed`; only when
 * none could be judged is the case an error (or a time-out, if all were). Score is the best one, plain figures are means.
 */
export function computeCaseVerdict(trajectories: readonly Trajectory[], k: number): CaseVerdict {
  const best = pickBest(trajectories);
  const passes = trajectories.filter((one) => one.passed === true).length;
  const manyK = k > 1 ? { passAtK: passes > 0, passAllK: passes === k } : {};
  return {
    status: decideStatus(trajectories),
    score: Math.max(0, ...trajectories.map((one) => one.score ?? 0)),
    k,
    ...computeMeans(trajectories),
    totals: computeTotals(trajectories),
    ...manyK,
    ...(best?.output === undefined ? {} : { output: cut(best.output) }),
    ...(best?.grading === undefined ? {} : { grading: best.grading }),
    ...(best?.error === undefined ? {} : { error: best.error }),
  };
}

function decideStatus(trajectories: readonly Trajectory[]): CaseVerdict['status'] {
  if (trajectories.some((one) => one.passed === true)) return 'passed';
  if (trajectories.some((one) => one.passed === false)) return 'failed';
  if (trajectories.some((one) => one.error === undefined)) return 'completed';
  return trajectories.every((one) => one.error?.type === 'ItemTimeout') ? 'timeout' : 'error';
}

/** The ledger row keeps the beginning of an answer; the whole one is in its trajectory. */
function cut(output: string): string {
  return output.length > LONGEST_PREVIEW ? `${output.slice(0, LONGEST_PREVIEW)}…` : output;
}

/** The trajectory that stands for its case: the best score, judged before failed. */
function pickBest(trajectories: readonly Trajectory[]): Trajectory | undefined {
  const rank = (one: Trajectory): number => (one.error === undefined ? 1 + (one.score ?? 0) : 0);
  return trajectories.toSorted((a, b) => rank(b) - rank(a))[0];
}
