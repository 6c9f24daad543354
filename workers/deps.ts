import { Runtime } from '@temporalio/worker';
import type pg from 'pg';
import type { AgentEvalRunDeps } from '../activities/agent-eval-run.ts';
import type { AgentSignalScopeDeps } from '../activities/agent-signal-scope.ts';
import * as factories from '../activities/index.ts';
import type { Database } from '../packages/database/database.ts';
import { createDatabase, createPool } from '../packages/database/pool.ts';
import { createEventRecorder } from '../packages/observability/pipeline-events.ts';
import { createSignalMeter } from '../packages/observability/signal-meter.ts';
import { createPipelineMeter } from '../packages/observability/pipeline-meter.ts';

/** Everything that activities are built from; one of each per process. */
export interface WorkerDeps extends AgentEvalRunDeps, AgentSignalScopeDeps {
  readonly db: Database;
  /** Name of the process: identity of its Workers and owner of its claims. */
  readonly identity: string;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** Settings of the dependencies. */
export interface CreateDepsInput {
  readonly identity: string;
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly flow: AgentEvalRunDeps['flow'];
  readonly msSinceClose: AgentEvalRunDeps['msSinceClose'];
  readonly environment: AgentEvalRunDeps['environment'];
  readonly signals: (db: Database) => AgentSignalScopeDeps['signals'];
  /** True: each item is logged, at DEBUG. */
  readonly logsItems?: boolean;
  readonly onError: (error: Error) => void;
}

/** Builds the dependencies; nothing connects before the first use. */
export function createDeps(input: CreateDepsInput): WorkerDeps {
  const pool = createPool({ databaseUrl: input.databaseUrl, size: input.databasePoolSize, applicationName: 'strata-worker', onError: input.onError });
  const db = createDatabase(pool);
  const { metricMeter } = Runtime.instance();
  return {
    identity: input.identity,
    flow: input.flow,
    msSinceClose: input.msSinceClose,
    isOwnerRunning: async (owner) => (await input.msSinceClose(owner)) === null,
    environment: input.environment,
    signals: input.signals(db),
    record: createEventRecorder(metricMeter),
    meter: createPipelineMeter(metricMeter),
    signalMeter: createSignalMeter(metricMeter),
    logsItems: input.logsItems ?? false,
    pool,
    db,
    close: () => pool.end(),
  };
}

/** Every activity of the project under its registered name. */
export function createActivities(deps: WorkerDeps): object {
  return Object.fromEntries(Object.values(factories).flatMap((create) => Object.entries(create(deps))));
}
