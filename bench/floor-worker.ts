import { setTimeout as delay } from 'node:timers/promises';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { createPool } from '../packages/database/pool.ts';
import { connectNative } from '../packages/runtime/connect-native.ts';
import { embeddedTarget } from '../packages/runtime/stack-target.ts';
import { createWorkerOptions } from '../workers/worker-options.ts';
import { updateFloorItem } from './floor-items.ts';

/** What a floor worker is told. */
export interface FloorWorkerConfig {
  readonly address: string;
  readonly taskQueue: string;
  readonly bundlePath: string;
  readonly databaseUrl: string;
  readonly activitySlots: number;
  readonly workflowSlots: number;
  readonly cachedWorkflows: number;
}

/** Runs the raw SDK's worker with Strata's settings until SIGTERM; its one activity makes one UPDATE. */
async function runFloorWorker(config: FloorWorkerConfig): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: ['SIGTERM'] });
  const pool = createPool({ databaseUrl: config.databaseUrl, size: config.activitySlots, applicationName: 'floor', onError: () => undefined });
  const connection = await connectNative(embeddedTarget(config.address));
  const worker = await Worker.create(
    createWorkerOptions({
      ...config,
      connection,
      namespace: 'default',
      identity: `floor-${process.pid}`,
      activities: {
        update: async (itemId: string, sleepMs: number) => {
          if (sleepMs > 0) await delay(sleepMs);
          await updateFloorItem(pool, itemId);
        },
      },
      buildId: undefined,
      shutdownGraceMs: 1_000,
    }),
  );
  const running = worker.run();
  process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
  await running;
  await connection.close();
  await pool.end();
}

await runFloorWorker(JSON.parse(process.argv[2] ?? '{}') as FloorWorkerConfig);
