import type { Client } from '@temporalio/client';
import type { Database } from '../database/database.ts';
import { endReaping, keepReaping, leaveReaping, takeLapsedLeases } from '../database/lease-reaping.ts';
import type { LapsedWorker } from '../database/lease-reaping.ts';
import { sweepDeadWorkers } from './dead-worker-sweep.ts';

const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 30_000;

/** Dead workers that were reaped, and how many of their activities were answered for. */
export interface ReapedWorkers {
  readonly identities: readonly string[];
  readonly activities: number;
}

/** Settings of a reaper; `identity` is that of this process, whose own lease says whether it may judge. */
export interface WorkerReaperInput {
  readonly client: Client;
  readonly db: Database;
  readonly identity: string;
  readonly onReaped: (reaped: ReapedWorkers) => void;
  readonly onError: (error: unknown) => void;
}

/** The reaper of a process. */
export interface WorkerReaper {
  /** Looks for lapsed leases now. */
  notice(): void;
  /** Leaves what it is reaping to others and resolves. */
  stop(): Promise<void>;
}

/**
 * Takes over the lapsed leases of dead worker processes and has their activities retried at once, instead of after their time-outs. Any number of reapers
 * may run: each lease is taken by one, and one that cannot finish (no answer from Temporal, its own end) leaves it to be taken again, and rests for 2 s,
 * doubling to 30 s.
 */
export function startWorkerReaper(input: WorkerReaperInput): WorkerReaper {
  const { db, identity: reaper, onError } = input;
  const ending = new AbortController();
  const atWork = new Set<Promise<void>>();
  let isTaking = false;
  let restMs = FIRST_REST_MS;
  let restUntil = 0;
  const rest = (error: unknown): void => {
    restUntil = performance.now() + restMs;
    restMs = Math.min(restMs * 2, LONGEST_REST_MS);
    onError(error);
  };
  const work = (promise: Promise<void>): void => {
    const tracked = promise.catch(rest).finally(() => atWork.delete(tracked));
    atWork.add(tracked);
  };
  const take = async (): Promise<void> => {
    isTaking = true;
    try {
      const workers = await takeLapsedLeases(db, reaper);
      if (workers.length === 0) restMs = FIRST_REST_MS;
      else work(reap(input, workers, ending.signal).then(() => void (restMs = FIRST_REST_MS)));
    } finally {
      isTaking = false;
    }
  };
  return {
    notice: () => {
      if (!isTaking && !ending.signal.aborted && performance.now() >= restUntil) work(take());
    },
    stop: async () => {
      ending.abort();
      while (atWork.size > 0) await Promise.all(atWork);
    },
  };
}

async function reap(
  { client, db, identity: reaper, onReaped }: WorkerReaperInput,
  workers: readonly LapsedWorker[],
  signal: AbortSignal,
): Promise<void> {
  let identities = workers.map(({ identity }) => identity);
  const keep = async (): Promise<ReadonlySet<string>> => {
    signal.throwIfAborted();
    identities = await keepReaping(db, { reaper, identities });
    return new Set(identities);
  };
  try {
    const activities = await sweepDeadWorkers({ client, db, workers, keep, signal });
    await endReaping(db, { reaper, identities });
    if (identities.length > 0) onReaped({ identities, activities });
  } catch (error) {
    await leaveReaping(db, { reaper, identities }).catch(() => undefined);
    if (!signal.aborted) throw error;
  }
}
