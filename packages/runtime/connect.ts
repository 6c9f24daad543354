import { Client, Connection } from '@temporalio/client';
import type { ClientInterceptors } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { payloadConverterOption } from './data-converter.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';
import { EXIT, UserError } from './user-error.ts';

const CONNECT_WITHIN = '5 seconds';

/** A Temporal server as the standard `TEMPORAL_*` variables and profiles describe it. */
export interface TemporalTarget {
  readonly address: string;
  readonly namespace: string;
  readonly connectionOptions: ClientConnectConfig['connectionOptions'];
}

function loadConnectConfig(overrideEnvVars: Record<string, string>): ClientConnectConfig {
  try {
    return loadClientConnectConfig({ overrideEnvVars });
  } catch (error) {
    // The library stumbles over a file without any profile, which is nothing worth an error unless one was asked for.
    if (!(error instanceof TypeError) || overrideEnvVars['TEMPORAL_PROFILE'] !== undefined) throw error;
    return loadClientConnectConfig({ overrideEnvVars, disableFile: true });
  }
}

/** Reads `TEMPORAL_*` and the profile file; throws a UserError (exit 2) where they contradict each other or the file cannot be read. */
export function loadTemporalTarget(env: Env): TemporalTarget {
  try {
    const { connectionOptions, namespace } = loadConnectConfig(definedOnly(env));
    return { address: connectionOptions.address ?? '127.0.0.1:7233', namespace: namespace ?? 'default', connectionOptions };
  } catch (error) {
    throw new UserError(`the TEMPORAL_* settings cannot be used: ${messageOf(error)}`, EXIT.refused, error);
  }
}

/** A client and how to close it. */
export interface ConnectedClient {
  readonly client: Client;
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Connects a client; throws a UserError (exit 3) that names the address if nothing answers there within 5 s. */
export async function connectClient(target: TemporalTarget, interceptors: ClientInterceptors = {}): Promise<ConnectedClient> {
  const connection = await orUnreachable(target, () =>
    Connection.connect({ ...target.connectionOptions, address: target.address, connectTimeout: CONNECT_WITHIN }),
  );
  const client = new Client({ connection, namespace: target.namespace, dataConverter: payloadConverterOption(), interceptors });
  return { client, connection, close: () => connection.close() };
}

/** Turns the failure to connect into a UserError (exit 3) that names the address. */
export async function orUnreachable<T>(target: TemporalTarget, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    const advice = 'start a stack with `strata up`, or correct TEMPORAL_ADDRESS';
    throw new UserError(`no Temporal server answers at ${target.address} (${messageOf(error)}): ${advice}`, EXIT.unreachable, error);
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
