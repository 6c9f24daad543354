import { Worker } from '@temporalio/worker';
import { createSignalModel } from '../packages/models/signal-model.ts';
import { migrateDatabase } from '../packages/database/migrate.ts';
import { requireBundle } from '../packages/runtime/bundle.ts';
import { loadWorkerConfig } from '../packages/runtime/config.ts';
import type { WorkerConfig } from '../packages/runtime/config.ts';
import { connectClient, loadTemporalTarget } from '../packages/runtime/connect.ts';
import type { TemporalTarget } from '../packages/runtime/connect.ts';
import { connectNative } from '../packages/runtime/connect-native.ts';
import { tellLimiter } from '../packages/runtime/flow-client.ts';
import { startHealthServer } from '../packages/runtime/health-server.ts';
import type { HealthChecks } from '../packages/runtime/health-server.ts';
import { createCloseCheck } from '../packages/runtime/owner-check.ts';
import { createProcessIdentity } from '../packages/runtime/process-identity.ts';
import { startProcessTracing } from '../packages/runtime/process-tracing.ts';
import { installRuntime } from '../packages/runtime/worker-runtime.ts';
import type { Env } from '../packages/runtime/env.ts';
import { reachDatabase } from '../packages/runtime/reach-database.ts';
import { createSignalPorts } from '../packages/runtime/signal-ports.ts';
import { ensureNightlySchedule, ensureSweepSchedule } from '../packages/runtime/signal-schedules.ts';
import { holdWorkerLease } from '../packages/runtime/worker-lease.ts';
import type { WorkerLease } from '../packages/runtime/worker-lease.ts';
import { STRATA_QUEUE } from '../packages/contracts/queues.ts';
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
  const identity = createProcessIdentity();
  const checks: HealthChecks = { workers: async () => false };
  const health = await startHealthServer(config.healthAddress, checks);
  await reachDatabase(config.databaseUrl);
  await migrateDatabase(config.databaseUrl);
  // Before all else: a process that starts after the only other one was killed may then judge it by the time it is ready.
  const lease = await holdWorkerLease({ ...config, identity });
  try {
    await serve({ env, config, target, identity, lease, checks, onReady });
  } finally {
    await lease.stop('giveUp');
    await health.close();
  }
}

interface Service {
  readonly env: Env;
  readonly config: WorkerConfig;
  readonly target: TemporalTarget;
  readonly identity: string;
  readonly lease: WorkerLease;
  readonly checks: HealthChecks;
  readonly onReady: (ready: ReadyWorker) => void;
}

async function serve({ env, config, target, identity, lease, checks, onReady }: Service): Promise<void> {
  const tracing = await startProcessTracing(env, 'strata-worker');
  const { codePath: bundlePath, buildId } = await requireBundle(config);
  const { client, close } = await connectClient(target, tracing.interceptors);
  // A runtime keeps its process alive until its last connection is closed: whatever can be refused was refused before.
  const logger = installRuntime(config);
  const connection = await connectNative(target);
  const deps = createDeps({
    ...config,
    identity,
    flow: { prefix: config.flowPrefix, tell: (message, taskQueue) => tellLimiter(client, message, taskQueue) },
    msSinceClose: createCloseCheck(client),
    environment: env,
    signals: (db) =>
      createSignalPorts(client, {
        db,
        limits: config.signalLimits,
        isOnByDefault: config.agentSignalByDefault,
        model: createSignalModel(config.signalModel, env),
      }),
    logsItems: config.logLevel === 'DEBUG',
    onError: ({ message }) => logger.warn('a database connection was lost', { error: message }),
  });
  const guards = startGuards({ lease, identity, client, db: deps.db, logger });
  const bringDefaults = async (ready: ReadyWorker): Promise<void> => {
    await bringFlowDefaults({ client, db: deps.db, prefix: config.flowPrefix }, { ...ready, logger });
    const [taskQueue = STRATA_QUEUE] = config.taskQueues;
    await ensureSweepSchedule(client, { taskQueue });
    await ensureNightlySchedule(client, { taskQueue });
  };
  try {
    const options = { ...config, connection, namespace: target.namespace, identity, bundlePath, buildId, activities: createActivities(deps) };
    const workers = await Promise.all(config.taskQueues.map((taskQueue) => Worker.create(createWorkerOptions({ ...options, taskQueue }))));
    checks['workers'] = async () => workers.every((worker) => worker.getState() === 'RUNNING');
    checks['database'] = async () => (await deps.pool.query('select 1')).rowCount === 1;
    const isForced = config.setCurrent;
    await runWorkers({ workers, client, buildId, isForced, logger, onReady: (ready) => bringDefaults(ready).then(() => onReady(ready)) });
  } catch (error) {
    // What may still be in flight is a survivor's at once.
    await lease.stop('abandon');
    throw error;
  } finally {
    await guards.stop();
    await connection.close();
    await close();
    await deps.close();
    await tracing.stop();
  }
}
