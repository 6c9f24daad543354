import type { BenchStack } from './bench-stack.ts';
import type { StartingProcess } from './processes.ts';
import type { Sizes } from './sizes.ts';

/** What every row is measured with. */
export interface BenchContext {
  readonly stack: BenchStack;
  readonly sizes: Sizes;
  /** Aborted by Ctrl-C: waits end, and everything is stopped. */
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/** Runs `work` with so many fresh `strata worker` processes that take work, and stops them. */
export const withWorkers = async <T>(
  { stack }: BenchContext,
  count: number,
  work: (workers: readonly StartingProcess[]) => Promise<T>,
): Promise<T> => {
  const workers = Array.from({ length: count }, () => stack.spawnWorker());
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    return await work(workers);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
};
