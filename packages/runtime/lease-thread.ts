import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import pg from 'pg';
import { abandonLease, giveUpLease, LEASE, renewLease } from '../database/worker-lease.ts';
import { computeRenewalWait } from './lease-times.ts';
import type { LeaseOrder, LeaseReport, LeaseThreadData } from './worker-lease.ts';

// Those that an outage has cut off together are to have renewed before a newcomer judges them.
const RETRY_MS = 100;

/** A session that is given up and made anew when it has not answered for a lease period. */
const createSession = (databaseUrl: string): pg.Pool => {
  const boundMs = LEASE.holdsMs;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    application_name: 'strata-lease',
    connectionTimeoutMillis: boundMs,
    statement_timeout: boundMs,
    query_timeout: boundMs,
    keepAlive: true,
    options: '-c TimeZone=UTC',
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
};

/** Renews the lease until the process orders its end. */
const holdLease = async ({ databaseUrl, identity, taskQueues }: LeaseThreadData, port: MessagePort): Promise<void> => {
  const report = (message: LeaseReport): void => port.postMessage(message);
  const session = createSession(databaseUrl);
  const ending = new AbortController();
  const ordered = once(port, 'message').then(([order]: LeaseOrder[]) => {
    ending.abort();
    return order;
  });
  const renew = async (isFirst: boolean): Promise<number> => {
    const { hasLapsed, nextLapseMs } = await renewLease(session, { identity, taskQueues, holdsMs: LEASE.holdsMs, isFirst });
    if (isFirst) report({ kind: 'held' });
    if (hasLapsed) report({ kind: 'lapsed' });
    return computeRenewalWait(nextLapseMs);
  };
  try {
    let waitMs = await renew(true);
    while (!ending.signal.aborted) {
      await delay(waitMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (!ending.signal.aborted) waitMs = await renew(false).catch(() => RETRY_MS);
    }
    await ((await ordered) === 'giveUp' ? giveUpLease : abandonLease)(session, identity).catch(() => undefined);
  } catch (error) {
    report({ kind: 'refused', reason: error instanceof Error ? error.message : String(error) });
  }
  await session.end();
  port.close();
};

if (parentPort !== null) await holdLease(workerData as LeaseThreadData, parentPort);
