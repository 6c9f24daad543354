import { Worker } from 'node:worker_threads';

/** What the thread that holds the lease is told at its start. */
export interface LeaseThreadData {
  readonly databaseUrl: string;
  readonly identity: string;
  readonly taskQueues: readonly string[];
}

/** What the thread tells: the lease is held for the first time, it could not be had, or the lease of another process has lapsed. */
export type LeaseReport = { readonly kind: 'held' } | { readonly kind: 'lapsed' } | { readonly kind: 'refused'; readonly reason: string };

/** How the thread is to end: nothing is in flight any more, or others have to take over what is. */
export type LeaseOrder = 'giveUp' | 'abandon';

/** The lease of this process. */
export interface WorkerLease {
  /** Calls the listener every half a second while there is a process whose lease has lapsed. */
  onLapsed(listener: () => void): void;
  /** Gives the lease up, or abandons work in flight to a survivor at once. Only the first call counts. */
  stop(order: LeaseOrder): Promise<void>;
}

/**
 * Holds the lease of a worker process (2 s, renewed every 0.5 s) from a thread with a connection of its own, so that a blocked event loop is not taken for
 * a dead process. Resolves when it is held, rejects when the first renewal fails; a thread that dies takes the process with it.
 */
export async function holdWorkerLease({ databaseUrl, identity, taskQueues }: LeaseThreadData): Promise<WorkerLease> {
  const thread = new Worker(new URL('./lease-thread.ts', import.meta.url), {
    workerData: { databaseUrl, identity, taskQueues } satisfies LeaseThreadData,
  });
  const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    thread.on('message', (report: LeaseReport) => {
      if (report.kind === 'held') resolve();
      if (report.kind === 'refused') reject(new Error(`the lease of this process could not be taken: ${report.reason}`));
    });
  });
  let isStopping = false;
  return {
    onLapsed: (listener) =>
      void thread.on('message', ({ kind }: LeaseReport) => {
        if (kind === 'lapsed') listener();
      }),
    stop: async (order) => {
      if (!isStopping) thread.postMessage(order);
      isStopping = true;
      await exited;
    },
  };
}
