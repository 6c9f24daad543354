import { once } from 'node:events';
import { serve } from '@hono/node-server';
import type { ServerType } from '@hono/node-server';
import type { Client } from '@temporalio/client';
import { createDatabase, createPool } from '../packages/database/pool.ts';
import { createGateway } from '../packages/gateway/app.ts';
import { loadGatewayConfig } from '../packages/gateway/config.ts';
import type { GatewayConfig } from '../packages/gateway/config.ts';
import { connectClient, loadTemporalTarget } from '../packages/runtime/connect.ts';
import type { Env } from '../packages/runtime/env.ts';
import { createPipelineClient } from '../packages/runtime/pipeline-client.ts';
import { startProcessTracing } from '../packages/runtime/process-tracing.ts';
import { reachDatabase } from '../packages/runtime/reach-database.ts';
import { EXIT, UserError } from '../packages/runtime/user-error.ts';

const POOL_SIZE = 20;
const ANSWER_WITHIN_MS = 2_000;

/** What a gateway says when it answers. */
export interface ReadyGateway {
  readonly url: string;
  /** Nobody is configured: everybody on this machine may call. */
  readonly isOpen: boolean;
}

/** How a gateway process is run. */
export interface RunGatewayInput {
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly onReady: (ready: ReadyGateway) => void;
  readonly onError: (error: unknown) => void;
}

/** Answers HTTP until the signal aborts; then requests in flight end. Rejects with a UserError where the environment does not suffice. */
export async function runGateway({ env, signal, onReady, onError }: RunGatewayInput): Promise<void> {
  const config = loadGatewayConfig(env);
  await reachDatabase(config.databaseUrl);
  const tracing = await startProcessTracing(env, 'strata-gateway');
  const connected = await connectClient(loadTemporalTarget(env), tracing.interceptors);
  const pool = createPool({ databaseUrl: config.databaseUrl, size: POOL_SIZE, applicationName: 'strata-gateway', onError });
  try {
    const db = createDatabase(pool);
    const { client } = connected;
    const { taskQueue, limits, isOnByDefault, tokens, webhookSecrets } = config;
    const app = createGateway({
      signals: { client, db, taskQueue, limits, isOnByDefault },
      pipelines: createPipelineClient({ client, taskQueue, db }),
      callers: config,
      checks: {
        database: async () => (await pool.query('select 1')).rowCount === 1,
        temporal: () => isAnswering(client),
      },
      onError,
    });
    const server = await listen(app.fetch, config);
    onReady({ url: `http://${config.host}:${portOf(server)}`, isOpen: tokens.length === 0 && webhookSecrets.length === 0 });
    if (!signal.aborted) await once(signal, 'abort');
    await close(server);
  } finally {
    await connected.close();
    await pool.end();
    await tracing.stop();
  }
}

/** Asks the server itself: a connection that was made once is not made again. */
async function isAnswering({ connection }: Client): Promise<boolean> {
  await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => connection.workflowService.getSystemInfo({}));
  return true;
}

async function listen(fetch: Parameters<typeof serve>[0]['fetch'], { host, port }: GatewayConfig): Promise<ServerType> {
  const server = serve({ fetch, hostname: host, port });
  try {
    if (!server.listening) await once(server, 'listening');
    return server;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`the gateway cannot listen on ${host}:${port} (${reason}): correct STRATA_GATEWAY_ADDRESS`, EXIT.unreachable, error);
  }
}

function portOf(server: ServerType): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: ServerType): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  if ('closeIdleConnections' in server) server.closeIdleConnections();
  await closed;
}
