import type { Client } from '@temporalio/client';
import type { Database } from '../../packages/database/database.ts';
import { classifyDatabaseError } from '../../packages/database/errors.ts';
import { createDatabase, createPool } from '../../packages/database/pool.ts';
import { resolveTaskQueue } from '../../packages/runtime/client-config.ts';
import { connectClient } from '../../packages/runtime/connect.ts';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { startProcessTracing } from '../../packages/runtime/process-tracing.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { findStackTarget } from '../../packages/runtime/stack-target.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';

const UNDEFINED_TABLE = '42P01';

/** Arguments of commands that talk to a stack: which one, and on which queue runs are started. */
export interface SessionArgs {
  readonly data?: string | undefined;
  readonly queue?: string | undefined;
}

/** What a command about pipelines works with. */
export interface PipelineSession {
  readonly pipelines: PipelineClient;
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
}

/** Finds the stack, connects, lets the command work and closes; a part that cannot be reached is a UserError (exit 3). */
export async function withPipelines<T>(args: SessionArgs, work: (session: PipelineSession) => Promise<T>): Promise<T> {
  const { env } = process;
  const { temporal, databaseUrl } = await findStackTarget(env, resolveDataDir(args.data ?? env['STRATA_DATA_DIR']));
  const tracing = await startProcessTracing(env, 'strata-cli');
  const connected = await connectClient(temporal, tracing.interceptors);
  const pool = createPool({ databaseUrl, size: 4, applicationName: 'strata-cli', onError: () => undefined });
  const db = createDatabase(pool);
  const taskQueue = resolveTaskQueue(env, args.queue);
  const { client } = connected;
  try {
    return await work({ pipelines: createPipelineClient({ client, taskQueue, db }), client, db, taskQueue });
  } catch (error) {
    throw explainDatabase(error);
  } finally {
    await connected.close();
    await pool.end();
    await tracing.stop();
  }
}

function explainDatabase(error: unknown): unknown {
  const fault = error instanceof UserError ? null : classifyDatabaseError(error);
  if (fault === null) return error;
  if (fault.sqlState === UNDEFINED_TABLE)
    return new UserError('the database has no tables yet: start a worker, it applies the migrations', EXIT.unreachable, error);
  if (fault.unavailable) return new UserError('the database cannot be reached: see `strata doctor`', EXIT.unreachable, error);
  return error;
}
