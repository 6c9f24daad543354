import { migrateDatabase } from '../database/migrate.ts';
import { connectClient } from './connect.ts';
import type { Env } from './env.ts';
import { reachDatabase } from './reach-database.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { createStackBook } from './stack-book.ts';
import type { StackBook } from './stack-book.ts';
import { claimDataDir } from './stack-claim.ts';
import { removeStackFile } from './stack-file.ts';
import type { StackFile } from './stack-file.ts';
import { startServers } from './stack-servers.ts';
import { startStackGateway } from './stack-gateway.ts';
import { startStackWorkers } from './stack-workers.ts';

/** How a stack is started. What `env` gives (`TEMPORAL_*`, `DATABASE_URL`) is used in place of the embedded part. */
export interface StartStackInput {
  readonly dataDir: string;
  readonly env: Env;
  readonly workers: number;
  readonly portBase: number | undefined;
  /** Where the gateway listens; undefined: 8080 where it is free, else any. */
  readonly gatewayPort: number | undefined;
  /** Aborting it ends a start that is under way; what has been started is stopped. */
  readonly signal: AbortSignal;
  /** Receives one sentence for each thing a person may want to know. */
  readonly say: (sentence: string) => void;
}

/** A stack whose workers take work. */
export interface RunningStack {
  readonly file: StackFile;
  /** Ends workers, Temporal and Postgres in this order, within 10 s, losing nothing. */
  stop(): Promise<void>;
}

/** Starts Postgres, Temporal and workers on a data folder, and resolves when the current version takes work. A UserError (exit 3) if a stack already runs there. */
export async function startStack(input: StartStackInput): Promise<RunningStack> {
  const release = await claimDataDir(input.dataDir, input.say);
  const book = createStackBook(input);
  const stop = async (): Promise<void> => {
    await book.stopParts();
    await removeStackFile(input.dataDir);
    await release();
  };
  try {
    return { file: await startParts(input, book), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(input: StartStackInput, book: StackBook): Promise<StackFile> {
  const servers = await startServers(input, book);
  await reachDatabase(servers.databaseUrl);
  await migrateDatabase(servers.databaseUrl);
  const connected = await connectClient(servers.temporal);
  let gatewayUrl: string;
  try {
    await registerSearchAttributes(connected.connection, servers.temporal.namespace);
    await startStackWorkers({ ...input, servers, book, connected });
    gatewayUrl = await startStackGateway({ ...input, servers, book });
  } finally {
    await connected.close();
  }
  const { address: temporalAddress, namespace } = servers.temporal;
  return book.publish({ temporalAddress, namespace, uiUrl: servers.uiUrl, gatewayUrl, databaseUrl: servers.databaseUrl });
}
