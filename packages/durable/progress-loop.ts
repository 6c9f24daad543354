import { CancellationScope, isCancellation, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { LedgerCounts } from '../contracts/finish-activities.ts';
import { readLedger } from './run-progress.ts';
import type { RunMemory } from './run-state.ts';

const EAGER_SECONDS = 60;
const EAGER_INTERVAL = '2 seconds';
const STEADY_INTERVAL = '10 seconds';

/** What the loop reads and where the Temporal UI's details come from. */
export interface ProgressSource {
  readonly memory: RunMemory;
  readonly read: () => Promise<LedgerCounts>;
  readonly details: () => string;
}

const follow = async ({ memory, read, details }: ProgressSource): Promise<void> => {
  const startedAt = Date.parse(memory.startedAt ?? new Date().toISOString());
  for (;;) {
    const isEager = Date.now() - startedAt < EAGER_SECONDS * 1_000;
    await sleep(isEager ? EAGER_INTERVAL : STEADY_INTERVAL, { summary: 'progress' });
    try {
      memory.reading = readLedger(memory.reading, await read());
    } catch (error) {
      if (isCancellation(error)) throw error;
      // A reading that failed is only late: the next one tells.
    }
    setCurrentDetails(details());
  }
};

/** Keeps progress fresh while `work` runs: one reading of the ledger every 2 s in the first minute, then every 10 s. */
export const withProgress = async <T>(source: ProgressSource, work: () => Promise<T>): Promise<T> => {
  const scope = new CancellationScope({ cancellable: true });
  const loop = scope.run(() => follow(source)).catch(() => undefined);
  try {
    setCurrentDetails(source.details());
    return await work();
  } finally {
    scope.cancel();
    await loop;
  }
};
