import { randomBytes } from 'node:crypto';
import type { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import type pg from 'pg';
import { inject } from 'vitest';
import type { AgentSignalScopeDeps } from '../../activities/agent-signal-scope.ts';
import { createFlowControlActivities } from '../../activities/flow-control.ts';
import { createActivities, createDeps } from '../../workers/deps.ts';
import type { WorkerDeps } from '../../workers/deps.ts';
import type { Database } from '../database/database.ts';
import { EXEC_AGENT_FLOW } from '../contracts/exec-agent.ts';
import { NO_LIMIT } from '../contracts/flow-limits.ts';
import { pipelineContracts } from '../contracts/index.ts';
import { SIGNAL_LIMITS } from '../contracts/signal-limits.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { SignalModel } from '../contracts/signal-model.ts';
import { createOfflineModel } from '../models/offline-model.ts';
import { saveFlowChange } from '../database/flow-settings.ts';
import { connectClient } from '../runtime/connect.ts';
import { tellLimiter } from '../runtime/flow-client.ts';
import { createSignalPorts } from '../runtime/signal-ports.ts';
import { createCloseCheck } from '../runtime/owner-check.ts';
import { embeddedTarget } from '../runtime/stack-target.ts';
import { cloneDatabase, dropDatabase } from './databases.ts';
import { holdLocalLease } from './local-lease.ts';
import type { TestServers } from './provided.ts';
import { replayQueue } from './replay.ts';
import type { ReplayQueueInput } from './replay.ts';
import { createRigWorkers } from './rig-workers.ts';
import type { RigWorker, RigWorkers } from './rig-workers.ts';

/** What a test may change; everything has the default that production has. */
export interface CreateRigInput {
  /** Path of another bundle than the project's own (see `bundleWorkflows`). */
  readonly bundlePath?: string;
  /** Activities by registered name, built over the rig's dependencies. */
  readonly activities?: (deps: WorkerDeps) => object;
  /** Another Postgres than the shared one, for tests that stop it. */
  readonly postgres?: Pick<TestServers, 'postgresUrl' | 'templateDatabase'>;
  /** Most database connections of the rig's process (20). */
  readonly poolSize?: number;
  /** Options laid over those of production. */
  readonly worker?: Partial<WorkerOptions>;
  /** Set: the Workers belong to the deployment under this build id; unset: they take part in none. */
  readonly buildId?: string;
  /** Workers that run when the rig is handed out (1). */
  readonly workers?: number;
  /** False: histories are not replayed at the end, for tests of broken or foreign workflows. */
  readonly replay?: boolean;
  /** A namespace of the test's own, made by `createNamespace`: deployments belong to a namespace, and the usual one is shared with other files. */
  readonly namespace?: string;
  /** True: pipelines are bound by the limits that they declare; otherwise those are lifted, and a run takes no longer than its items (false). */
  readonly isLimited?: boolean;
  /** Bounds of agent signal in place of the usual ones. */
  readonly signalLimits?: Partial<SignalLimits>;
  /** Policies of agent signal in place of those of the base. */
  readonly policies?: AgentSignalScopeDeps['signals']['policies'];
  /** The model of agent signal in place of the bundled rules. */
  readonly signalModel?: SignalModel;
  /** Name of the queue in place of one of the rig's own; for a test that has its server or its namespace to itself. */
  readonly taskQueue?: string;
}

/** A database, a task queue and a Worker of one test's own on the shared servers. */
export interface Rig {
  readonly servers: TestServers;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly client: Client;
  readonly connection: Connection;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly deps: WorkerDeps;
  /** Starts one more Worker on the rig's queue. */
  startWorker(overrides?: Partial<WorkerOptions>): Promise<RigWorker>;
  /** Stops the Workers, replays every execution of the queue, terminates what is open, drops the database. A failed replay fails the test. */
  close(): Promise<void>;
}

const POOL_SIZE = 20;
const SLOTS = { activitySlots: POOL_SIZE, workflowSlots: POOL_SIZE, cachedWorkflows: 200, shutdownGraceMs: 1_000 };

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });

/** As an operator would lift them. */
async function liftLimits({ db, flow: { prefix } }: WorkerDeps): Promise<void> {
  const keys = pipelineContracts.flatMap(({ type }) => ['process', 'paginate', 'execute'].map((layer) => `${prefix}${type}.${layer}`));
  for (const key of [...keys, `${prefix}${EXEC_AGENT_FLOW.key}`]) await saveFlowChange(db, { key, limit: NO_LIMIT });
}

/** Files that run at the same time have different namespaces, so that they may use the same workflow ids. */
const usualNamespace = ({ namespaces }: TestServers): string =>
  namespaces[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % namespaces.length] ?? 'default';

interface RigPlace {
  readonly name: string;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  readonly client: Client;
}

const createRigDeps = (
  { name, databaseUrl, taskQueue, client }: RigPlace,
  { poolSize, signalLimits, signalModel, policies }: CreateRigInput,
): WorkerDeps =>
  createDeps({
    identity: name,
    databaseUrl,
    databasePoolSize: poolSize ?? POOL_SIZE,
    flow: { prefix: `${taskQueue}/`, tell: (message, queue) => tellLimiter(client, message, queue) },
    msSinceClose: createCloseCheck(client),
    environment: process.env,
    signals: (db) => ({
      ...createSignalPorts(client, {
        db,
        limits: { ...SIGNAL_LIMITS, ...signalLimits },
        isOnByDefault: true,
        model: signalModel ?? createOfflineModel(),
      }),
      policies,
    }),
    onError: () => undefined,
  });

/** Stops the Workers and replays what they did; the parts go whatever comes of it. */
async function closeRig(
  { replay, workers }: { readonly replay: ReplayQueueInput; readonly workers: RigWorkers },
  release: () => Promise<void>,
): Promise<void> {
  await workers.stop();
  try {
    await replayQueue(replay);
  } finally {
    await release();
  }
}

/** Makes a rig on the servers of the global set-up. */
export async function createRig(input: CreateRigInput = {}): Promise<Rig> {
  const servers = { ...inject('strata'), ...input.postgres };
  const name = `rig_${randomBytes(6).toString('hex')}`;
  const taskQueue = input.taskQueue ?? name;
  const databaseUrl = await cloneDatabase(servers, name);
  const target = embeddedTarget(servers.temporalAddress, input.namespace ?? usualNamespace(servers));
  const connected = await connectClient(target);
  const deps = createRigDeps({ name, databaseUrl, taskQueue, client: connected.client }, input);
  if (input.isLimited !== true) await liftLimits(deps);
  const lease = await holdLocalLease(deps.pool, name);
  const settings = {
    namespace: target.namespace,
    taskQueue,
    identity: name,
    bundlePath: input.bundlePath ?? servers.bundlePath,
    activities: { ...createFlowControlActivities(deps), ...(input.activities ?? createActivities)(deps) },
    buildId: input.buildId,
    ...SLOTS,
  };
  const workers = createRigWorkers({ target, settings, overrides: input.worker ?? {} });
  for (let count = 0; count < (input.workers ?? 1); count++) await workers.start();

  const close = (): Promise<void> =>
    closeRig(
      { replay: { client: connected.client, taskQueue, bundlePath: settings.bundlePath, isReplayed: input.replay ?? true }, workers },
      async () => {
        await lease.stop();
        await connected.close();
        await deps.close();
        await dropDatabase(servers, name);
      },
    );
  const { client, connection } = connected;
  const { pool, db } = deps;
  return {
    servers,
    namespace: target.namespace,
    taskQueue,
    client,
    connection,
    databaseUrl,
    pool,
    db,
    deps,
    startWorker: workers.start,
    close,
  };
}
