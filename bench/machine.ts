import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import type { BenchStack } from './bench-stack.ts';
import { seedFloorItems, updateFloorItem } from './floor-items.ts';
import { computeMedian, roundTo } from './statistics.ts';

const COMMITS = 200;
const GIB = 2 ** 30;

/** What the rows were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgres: string;
  readonly temporal: string;
  /** Median time of one UPDATE and its commit alone, ms: what the disk gives. */
  readonly commitMs: number;
}

const timeCommits = async ({ pool }: BenchStack): Promise<number> => {
  const times: number[] = [];
  for (const itemId of await seedFloorItems(pool, COMMITS)) {
    const startedAt = performance.now();
    await updateFloorItem(pool, itemId);
    times.push(performance.now() - startedAt);
  }
  return roundTo(computeMedian(times), 2);
};

/** Names the machine and its servers, and takes the time of a commit. */
export const describeMachine = async (stack: BenchStack): Promise<Machine> => {
  const { rows } = await stack.pool.query<{ server_version: string }>('show server_version');
  const { serverVersion } = await stack.client.workflowService.getSystemInfo({});
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: roundTo(totalmem() / GIB, 1),
    kernel: `${type()} ${release()}`,
    node: process.version,
    postgres: rows[0]?.server_version ?? 'unknown',
    temporal: serverVersion ?? 'unknown',
    commitMs: await timeCommits(stack),
  };
};
