import type { Figures } from '../contracts/trajectory.ts';

/** The names of all figures, in the order reports show them. */
const FIGURE_NAMES = ['costUsd', 'latencyMs', 'tokens', 'steps', 'calls', 'toolCalls'] as const;

type FigureName = (typeof FIGURE_NAMES)[number];

/** Decimals of a mean: behaviour/pipelines.md section 5.1, accounting. */
const MEAN_DECIMALS: Readonly<Record<FigureName, number>> = {
  costUsd: 6,
  latencyMs: 0,
  tokens: 0,
  steps: 1,
  calls: 1,
  toolCalls: 1,
};

/** Sums, with cost rounded to 9 decimals so that 0.1 + 0.2 is 0.3; a figure that nobody has stays absent. */
export function computeTotals(all: readonly Figures[]): Figures {
  return build(all, (values) => round(sum(values), 9));
}

/** Exact means over those who have the figure, as a case shows them over its k trajectories. */
export function computeMeans(all: readonly Figures[]): Figures {
  return build(all, (values) => round(sum(values) / values.length, 9));
}

/** Means over those who have the figure, rounded as a run shows them per case. */
export function computeRoundedMeans(all: readonly Figures[]): Figures {
  return build(all, (values, name) => round(sum(values) / values.length, MEAN_DECIMALS[name]));
}

function build(all: readonly Figures[], combine: (values: readonly number[], name: FigureName) => number): Figures {
  const figures: Partial<Record<FigureName, number>> = {};
  for (const name of FIGURE_NAMES) {
    const values = all.map((one) => one[name]).filter((value) => value !== undefined);
    if (values.length > 0) figures[name] = combine(values, name);
  }
  return figures;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounds half up at so many decimals, immune to 1.005 being stored as 1.00499…. */
function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale * (1 + Number.EPSILON)) / scale;
}

/** The value below or at which so large a share lies (nearest rank); null of nothing. */
export function computePercentile(values: readonly number[], share: number): number | null {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? null;
}
