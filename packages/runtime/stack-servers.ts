import { join } from 'node:path';
import { resolveBinary } from './binaries.ts';
import { TEMPORAL_CLI } from './binary-catalog.ts';
import { loadTemporalTarget } from './connect.ts';
import type { TemporalTarget } from './connect.ts';
import { definedOnly } from './env.ts';
import { BINARY_CACHE } from './paths.ts';
import { ensureDatabase, startPostgres } from './postgres.ts';
import { SERVER_SETTINGS } from './server-settings.ts';
import type { StackBook } from './stack-book.ts';
import type { StartStackInput } from './stack.ts';
import { choosePorts } from './stack-ports.ts';
import type { StackPorts } from './stack-ports.ts';
import { embeddedTarget, isTemporalGiven } from './stack-target.ts';
import { startTemporalServer } from './temporal-server.ts';

const DATABASE = 'strata';

/** The servers of a stack, embedded or given. */
export interface StackServers {
  readonly temporal: TemporalTarget;
  readonly uiUrl: string | null;
  readonly databaseUrl: string;
}

/** Starts the servers that the environment does not give. */
export async function startServers(input: StartStackInput, book: StackBook): Promise<StackServers> {
  const ports = await choosePorts(input.portBase);
  const databaseUrl = definedOnly(input.env)['DATABASE_URL'] ?? (await addPostgres(input, book, ports));
  if (isTemporalGiven(input.env)) return { temporal: loadTemporalTarget(input.env), uiUrl: null, databaseUrl };
  return { ...(await addTemporal(input, book, ports)), databaseUrl };
}

async function addPostgres(input: StartStackInput, book: StackBook, ports: StackPorts): Promise<string> {
  let databaseUrl = '';
  await book.add({
    name: 'postgres',
    words: ['postgres', '-p', String(ports.postgres)],
    start: async () => {
      const postgres = await startPostgres({ dataDir: input.dataDir, port: ports.postgres, durable: true });
      await ensureDatabase(postgres, DATABASE);
      databaseUrl = postgres.databaseUrl(DATABASE);
      return postgres;
    },
  });
  return databaseUrl;
}

async function addTemporal(input: StartStackInput, book: StackBook, ports: StackPorts): Promise<Omit<StackServers, 'databaseUrl'>> {
  const { path: binary } = await resolveBinary({ entry: TEMPORAL_CLI, env: input.env, cacheDir: BINARY_CACHE, say: input.say });
  const databaseFile = join(input.dataDir, 'temporal.db');
  await book.add({
    name: 'temporal',
    words: [binary, 'server', databaseFile],
    start: () =>
      startTemporalServer({
        binary,
        port: ports.temporal,
        uiPort: ports.ui,
        databaseFile,
        logDir: join(input.dataDir, 'logs'),
        settings: SERVER_SETTINGS,
      }),
  });
  return { temporal: embeddedTarget(`127.0.0.1:${ports.temporal}`), uiUrl: `http://127.0.0.1:${ports.ui}` };
}
