import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startProcess } from './child-process.ts';
import type { ManagedProcess } from './child-process.ts';
import { preparePostgresHome } from './postgres-home.ts';
import type { PostgresHome } from './postgres-home.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);
const USER = 'strata';
const READY_WITHIN_MS = 60_000;
const STOP_GRACE_MS = 1_500;
const PLAIN_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** A local cluster: data and log below `dataDir`. `durable: false` trades crash safety for speed and is for tests only. */
export interface StartPostgresInput {
  readonly dataDir: string;
  readonly port: number;
  readonly durable: boolean;
}

/** A running cluster; `url` names its maintenance database `postgres`. */
export interface RunningPostgres {
  readonly process: ManagedProcess;
  readonly url: string;
  databaseUrl(name: string): string;
  /** Fast shutdown: sessions are ended, nothing committed is lost. */
  stop(): Promise<void>;
}

/** Starts Postgres on the loopback address, making the cluster at the first start; its password is random and stays in `dataDir`. */
export async function startPostgres(input: StartPostgresInput): Promise<RunningPostgres> {
  const home = await preparePostgresHome(input.dataDir);
  const password = await requirePassword(join(input.dataDir, 'postgres.password'));
  if (!existsSync(join(home.clusterDir, 'PG_VERSION'))) await initialise({ home, password, durable: input.durable });
  const process = await startServer(input, home);
  const databaseUrl = (name: string): string => `postgres://${USER}:${password}@127.0.0.1:${input.port}/${name}`;
  const stop = (): Promise<void> => process.stop({ signal: 'SIGINT', graceMs: STOP_GRACE_MS });
  try {
    await waitUntil({
      what: 'Postgres accepting connections',
      timeoutMs: READY_WITHIN_MS,
      probe: () => isAnswering(databaseUrl('postgres'), process),
    });
  } catch (error) {
    await stop();
    throw new Error(`Postgres did not start; its log is ${logFile(input)}`, { cause: error });
  }
  return { process, url: databaseUrl('postgres'), databaseUrl, stop };
}

/** Makes a database unless it exists. */
export async function ensureDatabase(postgres: Pick<RunningPostgres, 'url'>, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

async function initialise({ home, password, durable }: { home: PostgresHome; password: string; durable: boolean }): Promise<void> {
  const passwordFile = `${home.clusterDir}.pw-${randomBytes(4).toString('hex')}`;
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    if (home.owner !== undefined) await chown(passwordFile, home.owner.uid, home.owner.gid);
    const flags = [
      '--auth=scram-sha-256',
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      ...(durable ? [] : ['--no-sync']),
    ];
    await run(join(home.binDir, 'initdb'), [`--pgdata=${home.clusterDir}`, ...flags], { cwd: '/', env: PLAIN_ENV, ...home.owner });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function startServer(input: StartPostgresInput, home: PostgresHome): Promise<ManagedProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(input.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startProcess({
    command: join(home.binDir, 'postgres'),
    args: ['-D', home.clusterDir, '-p', String(input.port), ...flags],
    logFile: logFile(input),
    cwd: '/',
    env: PLAIN_ENV,
    ...home.owner,
  });
}

async function isAnswering(url: string, process: ManagedProcess): Promise<boolean> {
  if (!process.isRunning()) throw new Error(`Postgres ended with ${await process.exited}`);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
  return true;
}

async function requirePassword(file: string): Promise<string> {
  if (!existsSync(file)) await writeFile(file, randomBytes(18).toString('base64url'), { mode: 0o600 });
  return (await readFile(file, 'utf8')).trim();
}

function logFile(input: StartPostgresInput): string {
  return join(input.dataDir, 'logs/postgres.log');
}
