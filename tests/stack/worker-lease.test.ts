import getPort from 'get-port';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { holdWorkerLease } from '../../packages/runtime/worker-lease.ts';
import type { WorkerLease } from '../../packages/runtime/worker-lease.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createTestDatabase } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

const BLOCKED_MS = 5_000;

let base: TestDatabase;
let lease: WorkerLease | undefined;

beforeAll(async () => {
  base = await createTestDatabase();
});
afterAll(() => base.close());
afterEach(async () => {
  await lease?.stop('giveUp');
  lease = undefined;
});

const hold = async (identity: string): Promise<WorkerLease> =>
  (lease = await holdWorkerLease({ databaseUrl: base.url, identity, taskQueues: ['a', 'b'] }));

const readLease = async (identity: string): Promise<Record<string, unknown> | undefined> =>
  (await base.pool.query(`select task_queues, lease_until > now() as held from worker_leases where identity = $1`, [identity])).rows[0];

test('a lease is renewed while the event loop of its process stands still', async () => {
  await hold('blocked');
  for (const until = performance.now() + BLOCKED_MS; performance.now() < until;);
  expect(await readLease('blocked')).toEqual({ task_queues: ['a', 'b'], held: true });
});

test('a lease that is given up is gone, one that is abandoned has lapsed; only the first order counts', async () => {
  await (await hold('orderly')).stop('giveUp');
  expect(await readLease('orderly')).toBeUndefined();
  const forced = await hold('forced');
  await Promise.all([forced.stop('abandon'), forced.stop('giveUp')]);
  await forced.stop('giveUp');
  expect(await readLease('forced')).toMatchObject({ held: false });
});

test('its holder is told again and again of a lease that has lapsed', async () => {
  let told = 0;
  (await hold('survivor')).onLapsed(() => told++);
  await base.pool.query(
    `insert into worker_leases values ('dying', '{}', now() - interval '1.8 s', now() + interval '0.2 s', now()) on conflict (identity) do nothing`,
  );
  await waitUntil({ what: 'the lapse being told twice', timeoutMs: 30_000, probe: async () => told >= 2 });
  expect(told).toBeGreaterThanOrEqual(2);
});

test('a process whose lease cannot be had does not start, and hears why', async () => {
  const databaseUrl = Object.assign(new URL(base.url), { port: String(await getPort()) }).href;
  await expect(holdWorkerLease({ databaseUrl, identity: 'nobody', taskQueues: [] })).rejects.toThrow(
    /the lease of this process could not be taken: .*ECONNREFUSED/,
  );
});
