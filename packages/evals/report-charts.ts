import { escapeHtml } from './report-escape.ts';

/** One bar of a histogram: how many values fall in, and the words for its range. */
export type Bin = { readonly from: number; readonly to: number; readonly count: number };

/** A vertical line in a histogram, such as the median. */
export type Marker = { readonly label: string; readonly value: number };

const WIDTH = 560;
const HEIGHT = 200;
const FLOOR = 172;
const CEILING = 46;
const LEFT = 8;
const RIGHT = WIDTH - 8;

/** Cuts `[least, greatest]` into equal bins; the last one includes its upper edge. */
export function binLinear(values: readonly number[], range: { least: number; greatest: number; bins: number }): Bin[] {
  const { least, greatest, bins } = range;
  const edge = (index: number): number => least + ((greatest - least) * index) / bins;
  return fill(values, bins, edge);
}

/** Bins for times: equal ones for a narrow spread, growing ones when the slowest takes over 20 times the fastest. */
export function binDurations(values: readonly number[], bins: number): Bin[] {
  const least = values.reduce((a, b) => Math.min(a, b), values[0] ?? 0);
  const greatest = values.reduce((a, b) => Math.max(a, b), least + 1);
  if (least <= 0 || greatest / least <= 20) return binLinear(values, { least, greatest, bins });
  return fill(values, bins, (index) => least * (greatest / least) ** (index / bins));
}

function fill(values: readonly number[], bins: number, edge: (index: number) => number): Bin[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    let index = 0;
    while (index < bins - 1 && value >= edge(index + 1)) index++;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((count, index) => ({ from: edge(index), to: edge(index + 1), count }));
}

export type Histogram = {
  readonly title: string;
  readonly bins: readonly Bin[];
  readonly markers: readonly Marker[];
  readonly format: (value: number) => string;
  /** The class of a bar, so that a score's bars can tell pass from fail. */
  readonly tone: (bin: Bin) => string;
};

/** Draws a histogram as inline SVG with a title and a description that says all numbers. */
export function drawHistogram({ title, bins, markers, format, tone }: Histogram): string {
  const highest = Math.max(1, ...bins.map(({ count }) => count));
  const step = (RIGHT - LEFT) / bins.length;
  const bars = bins.map((bin, index) => {
    const height = bin.count === 0 ? 0 : Math.max(2, ((FLOOR - CEILING) * bin.count) / highest);
    const x = LEFT + index * step;
    const label = `${format(bin.from)} to ${format(bin.to)}: ${bin.count} ${bin.count === 1 ? 'case' : 'cases'}`;
    const count = bin.count === 0 ? '' : `<text class="count" x="${x + step / 2}" y="${FLOOR - height - 5}">${bin.count}</text>`;
    return `<g class="bar"><title>${escapeHtml(label)}</title><rect class="hit" x="${x}" y="${CEILING}" width="${step}" height="${FLOOR - CEILING}"/><rect class="${tone(bin)}" x="${x + 2}" y="${FLOOR - height}" width="${step - 4}" height="${height}" rx="3"/>${count}</g>`;
  });
  const description = bins.filter(({ count }) => count > 0).map((bin) => `${format(bin.from)} to ${format(bin.to)}: ${bin.count}`);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(`${title}. ${description.join('; ')}`)}">
<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${FLOOR}" y2="${FLOOR}"/>${bars.join('')}${drawMarkers(markers, bins)}${drawScale(bins, format)}</svg>`;
}

function drawMarkers(markers: readonly Marker[], bins: readonly Bin[]): string {
  const placed = markers.map(({ label, value }) => ({ label, x: placeValue(value, bins) }));
  return placed
    .map(({ label, x }, index) => {
      const isLeft = x > RIGHT - 110;
      const y = 10 + index * 12;
      const anchor = isLeft ? 'end' : 'start';
      return `<line class="marker" x1="${x}" x2="${x}" y1="${y - 8}" y2="${FLOOR}"/><text class="marker-label" text-anchor="${anchor}" x="${x + (isLeft ? -4 : 4)}" y="${y}">${escapeHtml(label)}</text>`;
    })
    .join('');
}

function placeValue(value: number, bins: readonly Bin[]): number {
  const step = (RIGHT - LEFT) / bins.length;
  const found = bins.findIndex(({ to }) => value <= to);
  const index = found === -1 ? bins.length - 1 : found;
  const bin = bins[index];
  const inside = bin === undefined || bin.to === bin.from ? 0 : Math.min(1, Math.max(0, (value - bin.from) / (bin.to - bin.from)));
  return Math.round((LEFT + (index + inside) * step) * 10) / 10;
}

function drawScale(bins: readonly Bin[], format: (value: number) => string): string {
  const edges = [...bins.map(({ from }) => from), bins.at(-1)?.to ?? 0];
  const every = Math.max(1, Math.round(bins.length / 5));
  const step = (RIGHT - LEFT) / bins.length;
  return edges
    .map((edge, index) => ({ edge, index }))
    .filter(({ index }) => index % every === 0)
    .map(({ edge, index }) => {
      const anchor = index === 0 ? 'start' : index === bins.length ? 'end' : 'middle';
      return `<text class="scale" text-anchor="${anchor}" x="${LEFT + index * step}" y="${FLOOR + 18}">${escapeHtml(format(edge))}</text>`;
    })
    .join('');
}
