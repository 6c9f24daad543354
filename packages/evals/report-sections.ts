import type { CaseState } from '../contracts/eval-result.ts';
import type { CaseCounts } from './accounting.ts';
import { binDurations, binLinear, drawHistogram } from './report-charts.ts';
import { escapeHtml } from './report-escape.ts';
import { formatCost, formatCount, formatDuration, formatScore, formatShare } from './report-format.ts';
import { STATE_ORDER } from './report.ts';
import type { CategoryCounts, EvalReport } from './report.ts';

const present = (counts: CaseCounts): CaseState[] => STATE_ORDER.filter((state) => counts[state] > 0);

/** Title, the pass rate in large, the bar of all states with its legend. */
export function renderHero({ run, summary }: EvalReport): string {
  const legend = present(summary.counts)
    .map((state) => `<li><span class="dot ${state}"></span>${state} <b>${formatCount(summary.counts[state])}</b></li>`)
    .join('');
  const ofK = run.k === 1 ? '' : `<br>${formatShare(summary.passAtK ?? 0)} in any of ${run.k} tries, ${formatShare(summary.passAllK ?? 0)} in all`;
  return `<header>
<h1>${escapeHtml(run.benchmark)}</h1>
<div class="run"><span>answered by <b>${escapeHtml(run.target)}</b></span><span>run <b>${escapeHtml(run.id)}</b></span><span>${run.status}</span><span>${escapeHtml((run.finishedAt ?? run.startedAt ?? run.createdAt).slice(0, 16).replace('T', ' '))} UTC</span></div>
</header>
<section class="hero" aria-label="Result">
<div class="rate">${formatShare(summary.passRate)}<small>passed, ${formatCount(summary.counts.passed)} of ${formatCount(summary.total)} cases${ofK}</small></div>
<div>${drawStack(summary.counts)}<ul class="legend">${legend}</ul></div>
</section>`;
}

function drawStack(counts: CaseCounts): string {
  const states = present(counts);
  const words = states.map((state) => `${state} ${counts[state]}`).join(', ');
  const parts = states.map((state) => `<i class="${state}" style="flex:${counts[state]}" title="${state} ${counts[state]}"></i>`);
  return `<div class="stack" role="img" aria-label="${words}">${parts.join('')}</div>`;
}

/** The figures of the run. */
export function renderTiles({ summary, wallClockMs, run }: EvalReport): string {
  const tiles: readonly [string, string][] = [
    ['Average score', formatScore(summary.averageScore)],
    ['Latency, median', formatDuration(summary.latencyP50Ms)],
    ['Latency, p95', formatDuration(summary.latencyP95Ms)],
    ['Tokens', formatCount(summary.totals.tokens)],
    ['Cost', formatCost(summary.totals.costUsd)],
    ['Run took', formatDuration(wallClockMs)],
    ['Passes from score', formatScore(run.passThreshold)],
  ];
  return `<dl class="tiles">${tiles.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}

/** One stacked bar per category; a click filters the table. */
export function renderCategories(categories: readonly CategoryCounts[]): string {
  const bars = categories.slice(0, 40).map(({ name, total, counts }) => {
    const label = escapeHtml(name);
    return `<button class="category" type="button" data-category="${label}" aria-pressed="false"><span class="clip" title="${label}">${label}</span>${drawStack(counts)}<span><b>${formatShare(counts.passed / total)}</b> of ${total}</span></button>`;
  });
  const rest = categories.length > 40 ? `<p class="more">and ${categories.length - 40} smaller categories</p>` : '';
  return `<section class="card wide"><h2>Results by category</h2>${bars.join('')}${rest}</section>`;
}

/** Histograms of score and latency. */
export function renderDistributions({ cases, summary, run }: EvalReport): string {
  const judged = cases.filter(({ state }) => state === 'passed' || state === 'failed');
  const scores = judged.flatMap(({ verdict }) => verdict?.score ?? []);
  const latencies = cases.flatMap(({ verdict }) => verdict?.latencyMs ?? []);
  const scoreChart = drawHistogram({
    title: 'Cases by score',
    bins: binLinear(scores, { least: 0, greatest: 1, bins: 10 }),
    markers: [{ label: `passes from ${run.passThreshold}`, value: run.passThreshold }],
    format: (value) => value.toFixed(1),
    tone: ({ from }) => (from + 1e-9 >= run.passThreshold ? 'passed' : 'failed'),
  });
  const latencyChart = drawHistogram({
    title: 'Cases by latency',
    bins: binDurations(latencies, 12),
    markers: [
      { label: `median ${formatDuration(summary.latencyP50Ms)}`, value: summary.latencyP50Ms ?? 0 },
      { label: `p95 ${formatDuration(summary.latencyP95Ms)}`, value: summary.latencyP95Ms ?? 0 },
    ],
    format: formatDuration,
    tone: () => 'neutral',
  });
  return `<section class="card"><h2>Score</h2>${scores.length === 0 ? '<p class="more">No case was judged.</p>' : scoreChart}</section>
<section class="card"><h2>Latency</h2>${latencies.length === 0 ? '<p class="more">No latency was measured.</p>' : latencyChart}</section>`;
}

/** The frame of the case table; its rows come from the page's own data. */
export function renderTable({ summary, categories }: EvalReport, shown: number): string {
  const chips = present(summary.counts).map(
    (state) =>
      `<button class="chip" type="button" data-state="${state}" aria-pressed="false">${state} ${formatCount(summary.counts[state])}</button>`,
  );
  const options = categories.map(({ name }) => `<option value="${escapeHtml(name)}">${escapeHtml(name)}</option>`);
  const sortable = (key: string, label: string, kind = ''): string =>
    `<th scope="col"${kind}><button type="button" data-sort="${key}">${label}<span></span></button></th>`;
  const note =
    shown < summary.total
      ? `<p class="more">The table holds ${formatCount(shown)} of ${formatCount(summary.total)} cases, those that did not pass first; the JSON report has all.</p>`
      : '';
  return `<section class="card"><h2>Cases</h2>
<div class="filters"><button class="chip" type="button" data-state="" aria-pressed="true">all</button>${chips.join('')}
<select id="category" aria-label="Category"><option value="">all categories</option>${options.join('')}</select>
<input id="search" type="search" placeholder="Search question, answer, reason" aria-label="Search the cases"></div>
<div class="scroll"><table><thead><tr>${sortable('state', 'State')}${sortable('seq', 'Case')}<th scope="col">Answer, or why not</th>${sortable('score', 'Score', ' class="number"')}${sortable('latency', 'Latency', ' class="number"')}</tr></thead><tbody id="body"></tbody></table></div>
<p class="more"><span id="found" role="status"></span> <button class="chip" type="button" id="more" hidden>show more</button></p>
<noscript><p class="more">The table needs JavaScript; figures and charts do not.</p></noscript>${note}</section>`;
}
