import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { createPipelineActivities } from '../../activities/runner/create.ts';
import type { ItemContext, ItemOutcome } from '../../activities/runner/definition.ts';
import { itemFailure } from '../../activities/runner/failures.ts';
import { createSignalPorts } from '../runtime/signal-ports.ts';
import { SIGNAL_LIMITS } from '../contracts/signal-limits.ts';
import { createDeps } from '../../workers/deps.ts';
import { startGuards } from '../../workers/guards.ts';
import { createWorkerOptions } from '../../workers/worker-options.ts';
import type { probeContract } from '../contracts/probe.ts';
import { probeSource } from '../database/probe-store.ts';
import { connectNative } from '../runtime/connect-native.ts';
import { connectClient, loadTemporalTarget } from '../runtime/connect.ts';
import { tellLimiter } from '../runtime/flow-client.ts';
import { createCloseCheck } from '../runtime/owner-check.ts';
import { holdWorkerLease } from '../runtime/worker-lease.ts';
import type { ProviderCall } from './provider.ts';
import { planOf, varyProbe } from './stage.ts';
import type { StageProcessConfig } from './stage-process.ts';

type Fields = (typeof probeContract)['fields'];

/** Asks the test's provider; whatever it answers but 200 is a refusal that may be retried. */
const ask = async (url: string, call: ProviderCall, signal: AbortSignal | null): Promise<unknown> => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(call), signal });
  if (response.status !== 200) throw itemFailure('ProviderUnavailable', `provider answered ${response.status}`, { retryable: true });
  return response.json();
};

/** Keeps the event loop busy for as long as an answer `{blockMs}` says, as long synchronous work would. */
const block = (answer: unknown): void => {
  const blockMs = typeof answer === 'object' && answer !== null && 'blockMs' in answer ? Number(answer.blockMs) : 0;
  for (const until = performance.now() + blockMs; performance.now() < until;);
};

const callOf = ({ itemId, attempt, idempotencyKey: key }: ItemContext<Fields>): ProviderCall => ({ itemId, attempt, key, pid: process.pid });

/** Runs one Worker of the probe whose items call the test's provider, until SIGTERM has drained it. */
const runStageWorker = async (config: StageProcessConfig): Promise<void> => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger, shutdownSignals: ['SIGTERM'] });
  const target = loadTemporalTarget({ TEMPORAL_ADDRESS: config.address, TEMPORAL_NAMESPACE: config.namespace });
  const [connected, connection] = [await connectClient(target), await connectNative(target)];
  const identity = `stage-${process.pid}`;
  const deps = createDeps({
    identity,
    databaseUrl: config.databaseUrl,
    databasePoolSize: 20,
    flow: { prefix: `${config.taskQueue}/`, tell: (message, taskQueue) => tellLimiter(connected.client, message, taskQueue) },
    msSinceClose: createCloseCheck(connected.client),
    environment: {},
    signals: (db) => createSignalPorts(connected.client, { db, limits: SIGNAL_LIMITS, isOnByDefault: true, model: null }),
    onError: () => undefined,
  });
  const { databaseUrl, taskQueue, bundlePath } = config;
  const lease = await holdWorkerLease({ databaseUrl, identity, taskQueues: [taskQueue] });
  const guards = startGuards({ lease, identity, client: connected.client, db: deps.db, logger });
  const activities = createPipelineActivities<Fields>(
    varyProbe(config.contract),
    {
      preflight: async ({ input }) => {
        if (config.preflightUrl !== undefined)
          await ask(config.preflightUrl, { itemId: 'preflight', attempt: 1, key: 'preflight', pid: process.pid }, null);
        return { plan: planOf(input) };
      },
      eligible: ({ set }) => probeSource(set),
      executeItem: async (item): Promise<ItemOutcome> => {
        const result = await ask(config.providerUrl, callOf(item), item.signal);
        block(result);
        return { kind: 'done', result };
      },
    },
    deps,
  );
  const slots = { activitySlots: 20, workflowSlots: 20, cachedWorkflows: 50, shutdownGraceMs: 5_000 };
  const worker = await Worker.create(
    createWorkerOptions({ connection, namespace: target.namespace, taskQueue, identity, bundlePath, activities, buildId: undefined, ...slots }),
  );
  const running = worker.run();
  process.stdout.write('ready\n');
  await running;
  await guards.stop();
  await lease.stop('giveUp');
  await connection.close();
  await connected.close();
  await deps.close();
};

await runStageWorker(JSON.parse(process.argv[2] ?? '{}') as StageProcessConfig);
