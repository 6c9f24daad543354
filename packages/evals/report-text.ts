import type { CaseResult } from '../contracts/eval-result.ts';
import { STATE_ORDER } from './report.ts';
import type { CategoryCounts, EvalReport } from './report.ts';
import { formatCost, formatCount, formatDuration, formatScore, formatShare, shorten } from './report-format.ts';

/** Colours of a terminal, or none. */
export type Paint = Readonly<Record<'good' | 'bad' | 'dim' | 'bold', (text: string) => string>>;

const plain = (text: string): string => text;
const NO_PAINT: Paint = { good: plain, bad: plain, dim: plain, bold: plain };
const SHOWN_CASES = 12;

/** The report for a terminal: figures, a bar per category, the first cases that did not pass with the reason. */
export function renderReportText(report: EvalReport, paint: Paint = NO_PAINT): string {
  const { run } = report;
  const title = `${paint.bold(run.benchmark)} · ${run.target} · ${run.status}`;
  const sections = [
    [title, paint.dim(`run ${run.id}`)],
    renderFigures(report, paint),
    renderCategories(report.categories, paint),
    renderProblems(report.cases, paint),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function renderFigures({ summary, wallClockMs, run }: EvalReport, paint: Paint): string[] {
  const states = STATE_ORDER.filter((state) => summary.counts[state] > 0)
    .map((state) => `${state} ${summary.counts[state]}`)
    .join(' · ');
  const perK = run.k === 1 ? '' : `, any of ${run.k} ${formatShare(summary.passAtK ?? 0)}, all of ${run.k} ${formatShare(summary.passAllK ?? 0)}`;
  return [
    `${drawBar(summary.passRate, 32, paint)} ${paint.bold(formatShare(summary.passRate))} of ${summary.total} passed${perK}`,
    states,
    `score ${formatScore(summary.averageScore)} · latency p50 ${formatDuration(summary.latencyP50Ms)}, p95 ${formatDuration(summary.latencyP95Ms)} · ` +
      `tokens ${formatCount(summary.totals.tokens)} · cost ${formatCost(summary.totals.costUsd)} · took ${formatDuration(wallClockMs)}`,
  ].filter((line) => line !== '');
}

function drawBar(share: number, width: number, paint: Paint): string {
  const filled = Math.round(share * width);
  return paint.good('█'.repeat(filled)) + paint.dim('░'.repeat(width - filled));
}

function renderCategories(categories: readonly CategoryCounts[], paint: Paint): string[] {
  const longest = Math.min(24, Math.max(0, ...categories.map(({ name }) => name.length)));
  return categories.map(({ name, total, counts }) => {
    const label = shorten(name, 24).padEnd(longest);
    return `${label}  ${drawBar(counts.passed / total, 20, paint)} ${String(counts.passed).padStart(4)}/${total}`;
  });
}

function renderProblems(cases: readonly CaseResult[], paint: Paint): string[] {
  const problems = cases.filter(({ state }) => state === 'failed' || state === 'error' || state === 'timeout');
  const lines = problems
    .slice(0, SHOWN_CASES)
    .map((one) => `${paint.bad('✗')} ${one.caseId} ${paint.dim(one.state)}  ${shorten(explainCase(one), 100)}`);
  const rest = problems.length - lines.length;
  return rest > 0 ? [...lines, paint.dim(`… and ${rest} more (--json or --html shows all)`)] : lines;
}

/** Why a case did not pass: its error, or the reasons of the assertions it failed. */
export function explainCase({ verdict, error }: Pick<CaseResult, 'verdict' | 'error'>): string {
  const failure = error ?? verdict?.error;
  if (failure !== undefined) return failure.message;
  const reasons = (verdict?.grading ?? []).filter(({ score }) => score < 1).map(({ type, reason }) => `${type}: ${reason}`);
  return reasons.join('; ');
}
