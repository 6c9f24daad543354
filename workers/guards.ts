import type { Client } from '@temporalio/client';
import type { Logger } from '@temporalio/worker';
import type { Database } from '../packages/database/database.ts';
import { startAbortSweeper } from '../packages/runtime/abort-sweeper.ts';
import type { WorkerLease } from '../packages/runtime/worker-lease.ts';
import { startWorkerReaper } from '../packages/runtime/worker-reaper.ts';

/** What the guards of a process work with. */
export interface StartGuardsInput {
  readonly lease: WorkerLease;
  readonly identity: string;
  readonly client: Client;
  readonly db: Database;
  readonly logger: Logger;
}

/** What a worker process does for the others beside its Workers: it reaps the dead, and ends runs that do not heed their abort. */
export interface Guards {
  stop(): Promise<void>;
}

/** Starts them. */
export function startGuards({ lease, identity, client, db, logger }: StartGuardsInput): Guards {
  const reaper = startWorkerReaper({
    client,
    db,
    identity,
    onReaped: ({ identities, activities }) => logger.warn('dead workers were reaped', { workers: identities.join(', '), activities }),
    onError: (error) => logger.warn('dead workers could not be reaped', { error: messageOf(error) }),
  });
  lease.onLapsed(() => reaper.notice());
  const sweeper = startAbortSweeper({
    client,
    db,
    onTerminated: ({ workflowId }) => logger.warn('a run was terminated: it did not heed its abort', { workflowId }),
    onError: (error) => logger.warn('aborts could not be enforced', { error: messageOf(error) }),
  });
  return { stop: async () => void (await Promise.all([sweeper.stop(), reaper.stop()])) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
