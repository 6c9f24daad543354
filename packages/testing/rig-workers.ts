import { Worker } from '@temporalio/worker';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import { createWorkerOptions } from '../../workers/worker-options.ts';
import type { WorkerOptionsInput } from '../../workers/worker-options.ts';
import { connectNative } from '../runtime/connect-native.ts';
import type { TemporalTarget } from '../runtime/connect.ts';

/** One running Worker. */
export interface RigWorker {
  readonly worker: Worker;
  /** Graceful stop; resolves when the Worker has drained, rejects with what it died of. */
  stop(): Promise<void>;
}

/** The Workers of one rig. */
export interface RigWorkers {
  start(overrides?: Partial<WorkerOptions>): Promise<RigWorker>;
  /** Stops all of them. */
  stop(): Promise<void>;
}

/** What the Workers of one rig have in common. */
export interface CreateRigWorkersInput {
  readonly target: TemporalTarget;
  readonly settings: Omit<WorkerOptionsInput, 'connection'>;
  readonly overrides: Partial<WorkerOptions>;
}

/** Creates the empty set. */
export function createRigWorkers(input: CreateRigWorkersInput): RigWorkers {
  const started: RigWorker[] = [];
  return {
    start: async (overrides = {}) => {
      // One connection each: Workers of equal queue and build cannot share one.
      const connection = await connectNative(input.target);
      const worker = await Worker.create({ ...createWorkerOptions({ ...input.settings, connection }), ...input.overrides, ...overrides });
      const running = run(worker, connection);
      started.push(running);
      return running;
    },
    stop: async () => {
      await Promise.all(started.map((each) => each.stop()));
    },
  };
}

function run(worker: Worker, connection: NativeConnection): RigWorker {
  const running = worker.run();
  // A Worker that dies early must not end the test process before `stop` reports why.
  running.catch(() => undefined);
  const stop = async (): Promise<void> => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    try {
      await running;
    } finally {
      await connection.close();
    }
  };
  let stopping: Promise<void> | undefined;
  return { worker, stop: () => (stopping ??= stop()) };
}
