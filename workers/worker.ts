import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from '@temporalio/worker';
import { migrateDatabase } from '../packages/database/migrate.ts';
import { requireBundle } from '../packages/runtime/bundle.ts';
import { loadWorkerConfig } from '../packages/runtime/config.ts';
import type { WorkerConfig } from '../packages/runtime/config.ts';
import { connectClient, loadTemporalTarget } from '../packages/runtime/connect.ts';
import type { TemporalTarget } from '../packages/runtime/connect.ts';
import { connectNative } from '../packages/runtime/connect-native.ts';
import { tellLimiter } from '../packages/runtime/flow-client.ts';
import { createCloseCheck } from '../packages/runtime/owner-check.ts';
import { createProcessIdentity } from '../packages/runtime/process-identity.ts';
import type { Env } from '../packages/runtime/env.ts';
import { reachDatabase } from '../packages/runtime/reach-database.ts';
import { holdWorkerLease } from '../packages/runtime/worker-lease.ts';
import type { WorkerLease } from '../packages/runtime/worker-lease.ts';
import { createActivities, createDeps } from './deps.ts';
import { bringFlowDefaults } from './flow-defaults.ts';
import { startGuards } from './guards.ts';
import { runWorkers } from './run-workers.ts';
import type { ReadyWorker } from './run-workers.ts';
import { createWorkerOptions } from './worker-options.ts';

/** Runs the Workers of one process until SIGINT or SIGTERM has drained them. Rejects with a UserError where the environment does not suffice. */
export async function runWorker(env: Env, onReady: (ready: ReadyWorker) => void): Promise<void> {
  const config = loadWorkerConfig(env);
  const target = loadTemporalTarget(env);
  const logger = new DefaultLogger(config.logLevel);
  Runtime.install({ logger, shutdownSignals: ['SIGINT', 'SIGTERM'] });
  const identity = createProcessIdentity();

  await reachDatabase(config.databaseUrl);
  await migrateDatabase(config.databaseUrl);
  // First of all: a process that starts after the only other one was killed may then judge it by the time it is ready.
  const lease = await holdWorkerLease({ ...config, identity });
  try {
    await serve({ env, config, target, logger, identity, lease, onReady });
  } finally {
    await lease.stop('giveUp');
  }
}

interface Service {
  readonly env: Env;
  readonly config: WorkerConfig;
  readonly target: TemporalTarget;
  readonly logger: Logger;
  readonly identity: string;
  readonly lease: WorkerLease;
  readonly onReady: (ready: ReadyWorker) => void;
}

async function serve({ env, config, target, logger, identity, lease, onReady }: Service): Promise<void> {
  const { codePath: bundlePath, buildId } = await requireBundle(config);
  const connected = await connectClient(target);
  const connection = await connectNative(target);
  const { client } = connected;
  const deps = createDeps({
    ...config,
    identity,
    flow: { prefix: config.flowPrefix, tell: (message, taskQueue) => tellLimiter(client, message, taskQueue) },
    msSinceClose: createCloseCheck(client),
    environment: env,
    onError: ({ message }) => logger.warn('a database connection was lost', { error: message }),
  });
  const guards = startGuards({ lease, identity, client, db: deps.db, logger });
  try {
    const options = { ...config, connection, namespace: target.namespace, identity, bundlePath, buildId, activities: createActivities(deps) };
    const workers = await Promise.all(config.taskQueues.map((taskQueue) => Worker.create(createWorkerOptions({ ...options, taskQueue }))));
    await runWorkers({
      workers,
      client: client,
      buildId,
      isForced: config.setCurrent,
      logger,
      onReady: async (ready) => {
        await bringFlowDefaults({ client: client, db: deps.db, prefix: config.flowPrefix }, { ...ready, logger });
        onReady(ready);
      },
    });
  } catch (error) {
    // What may still be in flight is a survivor's at once.
    await lease.stop('abandon');
    throw error;
  } finally {
    await guards.stop();
    await connection.close();
    await connected.close();
    await deps.close();
  }
}
