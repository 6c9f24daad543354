import type { RowFigures } from './figures.ts';
import type { RowName, TrialRowName } from './row-names.ts';

/** CPU seconds of the two servers during a row. */
export interface ServerCpu {
  readonly temporal: number;
  readonly postgres: number;
}

/** One measured row; null where a number makes no sense for it. CPU and memory are those of its worker processes. */
export interface Row {
  readonly name: RowName;
  readonly items: number | null;
  readonly seconds: number | null;
  readonly itemsPerSecond: number | null;
  readonly cpuSeconds: number | null;
  readonly peakRssMb: number | null;
  /** Transactions that wrote, per item: each waits for one flush of the log. */
  readonly commitsPerItem?: number;
  readonly serverCpuSeconds?: ServerCpu;
  /** Items per second of each round, in order; the row shows the middle one. */
  readonly rounds?: readonly number[];
  readonly figures?: Readonly<Record<string, number>>;
  /** Why the row does not count: it failed, or what it was to measure was not there. */
  readonly problem?: string;
}

/** What a trial answers: the row without its name. */
export interface TrialOutcome<N extends TrialRowName> extends Partial<Omit<Row, 'name' | 'figures' | 'rounds'>> {
  readonly figures: Readonly<RowFigures[N]>;
}

/** An outcome as a row; what it does not say is null. */
export const toRow = <N extends TrialRowName>(name: N, outcome: TrialOutcome<N>): Row => ({
  name,
  items: null,
  seconds: null,
  itemsPerSecond: null,
  cpuSeconds: null,
  peakRssMb: null,
  ...outcome,
  figures: outcome.figures as unknown as Readonly<Record<string, number>>,
});

/** A row that could not be measured. */
export const failedRow = (name: RowName, problem: string): Row => ({
  name,
  items: null,
  seconds: null,
  itemsPerSecond: null,
  cpuSeconds: null,
  peakRssMb: null,
  problem,
});
