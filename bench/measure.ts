import type { BenchStack } from './bench-stack.ts';
import type { Row } from './row.ts';
import { roundTo } from './statistics.ts';
import { readTreeCpu, readUsage, resetPeaks } from './usage.ts';

/** What a piece of work took. */
export type Measured = Required<Pick<Row, 'seconds' | 'itemsPerSecond' | 'cpuSeconds' | 'peakRssMb' | 'commitsPerItem' | 'serverCpuSeconds'>> & {
  readonly items: number;
  readonly seconds: number;
  readonly itemsPerSecond: number;
  readonly peakRssMb: number;
};

interface MeasureInput {
  readonly items: number;
  /** The processes that do the work besides the servers. */
  readonly pids: readonly number[];
}

const read = async ({ pool, serverPids }: BenchStack, pids: readonly number[]) => {
  // Each writing transaction takes a number; reading the next one takes none, and is exact at once, which the statistics views are not.
  const { rows } = await pool.query<{ next: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as next');
  const usages = await Promise.all(pids.map(readUsage));
  return {
    commits: Number(rows[0]?.next),
    cpu: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    peak: Math.max(...usages.map(({ peakRssMb }) => peakRssMb)),
    temporal: await readTreeCpu(serverPids.temporal),
    postgres: await readTreeCpu(serverPids.postgres),
  };
};

/** Measures a piece of work. A checkpoint precedes it, so that nobody pays for writing what an earlier row left behind. */
export const measure = async (stack: BenchStack, { items, pids }: MeasureInput, work: () => Promise<unknown>): Promise<Measured> => {
  await stack.pool.query('checkpoint');
  await resetPeaks(pids);
  const before = await read(stack, pids);
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await read(stack, pids);
  return {
    items,
    seconds: roundTo(seconds, 3),
    itemsPerSecond: roundTo(items / seconds, 1),
    cpuSeconds: roundTo(after.cpu - before.cpu, 2),
    peakRssMb: after.peak,
    commitsPerItem: roundTo((after.commits - before.commits) / items, 3),
    serverCpuSeconds: { temporal: roundTo(after.temporal - before.temporal, 2), postgres: roundTo(after.postgres - before.postgres, 2) },
  };
};
