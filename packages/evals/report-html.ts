import type { CaseResult } from '../contracts/eval-result.ts';
import { readCategory } from './report.ts';
import type { EvalReport } from './report.ts';
import { escapeHtml, escapeJson } from './report-escape.ts';
import { formatDuration, formatShare, shorten } from './report-format.ts';
import { renderCategories, renderDistributions, renderHero, renderTable, renderTiles } from './report-sections.ts';
import { REPORT_SCRIPT } from './report-script.ts';
import { REPORT_STYLE } from './report-style.ts';
import { explainCase } from './report-text.ts';

/** So many cases fit a page that opens at once; of larger runs those that did not pass come first. */
const GREATEST_TABLE = 5_000;
const LONGEST_TEXT = 4_000;

/** The report as one HTML page that loads nothing from anywhere: charts as inline SVG, a case table to search, filter and sort. */
export function renderReportHtml(report: EvalReport): string {
  const { run, summary } = report;
  const rows = selectRows(report.cases).map(describeRow);
  const title = `${run.benchmark}: ${formatShare(summary.passRate)} passed`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
${renderHero(report)}
${renderTiles(report)}
<div class="grid">
${renderCategories(report.categories)}
${renderDistributions(report)}
</div>
${renderTable(report, rows.length)}
</main>
<script type="application/json" id="cases">${escapeJson(rows)}</script>
<script>${REPORT_SCRIPT}</script>
</body>
</html>
`;
}

function selectRows(cases: readonly CaseResult[]): readonly CaseResult[] {
  if (cases.length <= GREATEST_TABLE) return cases;
  const isPassed = (one: CaseResult): number => Number(one.state === 'passed');
  return cases.toSorted((a, b) => isPassed(a) - isPassed(b) || a.seq - b.seq).slice(0, GREATEST_TABLE);
}

function describeRow(one: CaseResult): Record<string, unknown> {
  const why = explainCase(one);
  const output = one.verdict?.output ?? '';
  const reasons = (one.verdict?.grading ?? []).map(({ type, reason }) => `${type}: ${reason}`).join('\n');
  return {
    seq: one.seq,
    id: one.caseId,
    state: one.state,
    category: readCategory(one),
    question: cut(one.question),
    expected: cut(one.expected),
    output: cut(output),
    why: cut(why === '' ? reasons : why),
    short: shorten(one.state === 'passed' ? output : why, 140),
    score: one.verdict?.score,
    latencyMs: one.verdict?.latencyMs,
    latency: formatDuration(one.verdict?.latencyMs),
  };
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)` : text;
}
