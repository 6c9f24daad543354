import type { Client } from '@temporalio/client';
import type { Logger, Worker } from '@temporalio/worker';
import { makeCurrent } from '../packages/runtime/deployment.ts';

/** The Workers of one process and the version that they serve. */
export interface RunWorkersInput {
  readonly workers: readonly Worker[];
  readonly client: Client;
  readonly buildId: string;
  /** True: the version becomes current even where the deployment has another. */
  readonly isForced: boolean;
  readonly logger: Logger;
  /** Called once, when the server knows the Workers. */
  readonly onReady: (ready: ReadyWorker) => Promise<void>;
}

/** What a process says when it takes work. */
export interface ReadyWorker {
  readonly buildId: string;
  /** Whether new runs come to this version. */
  readonly isCurrent: boolean;
}

/** Runs the Workers, makes their version current where it may, and resolves when all have drained. One that fails stops the others. */
export async function runWorkers(input: RunWorkersInput): Promise<void> {
  const { workers, client, buildId, isForced, logger } = input;
  const ending = new AbortController();
  const running = Promise.all(workers.map((worker) => worker.run())).finally(() => ending.abort());
  const ready = makeCurrent({ client, buildId, isForced, signal: ending.signal }).then(async (isCurrent) => {
    logger.info('worker ready', { buildId, isCurrent });
    await input.onReady({ buildId, isCurrent });
  });
  const isReadyOrStopped = ready.catch((error: unknown) => {
    if (!ending.signal.aborted) throw error;
  });
  try {
    await Promise.all([running, isReadyOrStopped]);
  } catch (error) {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled([running]);
    throw error;
  }
}
