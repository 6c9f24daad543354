import type { Bar } from './bars.ts';
import type { Machine } from './machine.ts';
import type { Ratios } from './ratios.ts';
import type { Row } from './row.ts';

/** What one run of the benchmark answers. */
export interface BenchReport {
  readonly machine: Machine;
  /** False at reduced size: then no bar is judged. */
  readonly isFull: boolean;
  readonly rounds: number;
  readonly rows: readonly Row[];
  readonly ratios: Ratios;
  readonly bars: readonly Bar[];
}

type Table = readonly (readonly string[])[];

const ROW_HEAD = ['row', 'items', 'seconds', 'items/s', 'of floor', 'CPU s', 'Temporal, Postgres CPU s', 'peak MB', 'commits/item'];
const BAR_HEAD = ['bar', 'is', 'measured', 'met'];
const FIGURE_HEAD = ['row', 'figure', 'value'];
const NONE = '–';

const show = (value: number | null | undefined): string => (value === null || value === undefined ? NONE : value.toLocaleString('en'));

const showRow = (row: Row, ratios: Ratios): readonly string[] => {
  const server = row.serverCpuSeconds;
  return [
    row.name,
    show(row.items),
    show(row.seconds),
    show(row.itemsPerSecond),
    show(ratios[row.name as keyof Ratios]),
    show(row.cpuSeconds),
    server === undefined ? NONE : `${show(server.temporal)}, ${show(server.postgres)}`,
    show(row.peakRssMb),
    show(row.commitsPerItem),
  ];
};

const showMet = (met: boolean | null): string => (met === null ? 'not judged' : met ? 'yes' : 'NO');

/** `sliceMaxOverlap` as words. */
const splitWords = (name: string): string => name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();

/** The tables of a report: rows, what else they measured, bars. Each begins with its head. */
const tabulate = ({ rows, ratios, bars }: BenchReport): { readonly rows: Table; readonly figures: Table; readonly bars: Table } => ({
  rows: [ROW_HEAD, ...rows.map((row) => showRow(row, ratios))],
  figures: [
    FIGURE_HEAD,
    ...rows.flatMap(({ name, figures = {} }) => Object.entries(figures).map(([figure, value]) => [name, splitWords(figure), show(value)])),
  ],
  bars: [BAR_HEAD, ...bars.map(({ what, bar, measured, met }) => [what, bar, show(measured), showMet(met)])],
});

/** What a reader must know of the figures before reading them. */
const listCaveats = ({ rows, isFull }: BenchReport): readonly string[] => [
  ...(isFull ? [] : ['Measured at reduced size: no bar is judged.']),
  ...rows.flatMap(({ name, problem }) => (problem === undefined ? [] : [`\`${name}\` does not count: ${problem}.`])),
];

/** The machine in one sentence. */
const describe = ({ machine }: BenchReport): string => {
  const { cpu, cores, memoryGib, kernel, node, postgres, temporal, commitMs } = machine;
  return (
    `${cpu}, ${cores} cores, ${memoryGib} GiB, ${kernel}, Node ${node}, Postgres ${postgres} with fsync (one commit alone: ${commitMs} ms), ` +
    `Temporal server ${temporal} in memory`
  );
};

/** Lines of a table with its columns aligned, the numbers to the right. */
const align = (table: Table): readonly string[] => {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  return table.map((line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  );
};

/** The report for people in a terminal. */
export const toText = (report: BenchReport): string => {
  const { rows, figures, bars } = tabulate(report);
  const parts = [[describe(report), ...listCaveats(report)], align(rows)];
  if (figures.length > 1) parts.push(align(figures));
  if (bars.length > 1) parts.push(align(bars));
  return parts.map((lines) => lines.join('\n')).join('\n\n');
};

const toMarkdownTable = ([head = [], ...lines]: Table): string => {
  const draw = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [draw(head), `|${head.map((_, column) => (column === 0 ? '---|' : '---:|')).join('')}`, ...lines.map(draw)].join('\n');
};

/** The report as Markdown. */
export const toMarkdown = (report: BenchReport): string => {
  const { rows, figures, bars } = tabulate(report);
  const caveats = listCaveats(report).map((caveat) => `- ${caveat}`);
  return [
    `Machine: ${describe(report)}. Rates are the middle one of ${report.rounds} rounds.`,
    ...(caveats.length > 0 ? [caveats.join('\n')] : []),
    toMarkdownTable(bars),
    toMarkdownTable(rows),
    ...(figures.length > 1 ? [toMarkdownTable(figures)] : []),
  ].join('\n\n');
};
