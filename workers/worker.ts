import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { migrateDatabase } from '../packages/database/migrate.ts';
import { startWorkerLease } from '../packages/database/worker-lease.ts';
import { startAbortSweeper } from '../packages/runtime/abort-sweeper.ts';
import { requireBundle } from '../packages/runtime/bundle.ts';
import { loadWorkerConfig } from '../packages/runtime/config.ts';
import { connectClient, loadTemporalTarget } from '../packages/runtime/connect.ts';
import { connectNative } from '../packages/runtime/connect-native.ts';
import { tellLimiter } from '../packages/runtime/flow-client.ts';
import { createCloseCheck } from '../packages/runtime/owner-check.ts';
import { createProcessIdentity } from '../packages/runtime/process-identity.ts';
import type { Env } from '../packages/runtime/env.ts';
import { reachDatabase } from '../packages/runtime/reach-database.ts';
import { createActivities, createDeps } from './deps.ts';
import { bringFlowDefaults } from './flow-defaults.ts';
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
  const { codePath: bundlePath, buildId } = await requireBundle(config);
  const connected = await connectClient(target);
  const connection = await connectNative(target);
  const deps = createDeps({
    ...config,
    identity,
    flow: { prefix: config.flowPrefix, tell: (message, taskQueue) => tellLimiter(connected.client, message, taskQueue) },
    msSinceClose: createCloseCheck(connected.client),
    environment: env,
    onError: ({ message }) => logger.warn('a database connection was lost', { error: message }),
  });
  const lease = await startWorkerLease(deps.db, identity);
  const sweeper = startAbortSweeper({
    client: connected.client,
    db: deps.db,
    onTerminated: ({ workflowId }) => logger.warn('a run was terminated: it did not heed its abort', { workflowId }),
    onError: (error) => logger.warn('aborts could not be enforced', { error: error instanceof Error ? error.message : String(error) }),
  });
  try {
    const options = { ...config, connection, namespace: target.namespace, identity, bundlePath, buildId, activities: createActivities(deps) };
    const workers = await Promise.all(config.taskQueues.map((taskQueue) => Worker.create(createWorkerOptions({ ...options, taskQueue }))));
    await runWorkers({
      workers,
      client: connected.client,
      buildId,
      isForced: config.setCurrent,
      logger,
      onReady: async (ready) => {
        await bringFlowDefaults({ client: connected.client, db: deps.db, prefix: config.flowPrefix }, { ...ready, logger });
        onReady(ready);
      },
    });
  } finally {
    await sweeper.stop();
    await lease.stop();
    await connection.close();
    await connected.close();
    await deps.close();
  }
}
