import { homedir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startProcess } from './child-process.ts';
import type { ManagedProcess } from './child-process.ts';
import { waitUntil } from './wait-until.ts';

const READY_WITHIN_MS = 60_000;
const STOP_GRACE_MS = 2_000;

/** A Temporal dev server. Without `databaseFile` its state is in memory; without `uiPort` it has no UI. */
export interface StartTemporalServerInput {
  readonly binary: string;
  readonly port: number;
  readonly uiPort?: number;
  readonly databaseFile?: string;
  readonly logDir: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

/** A running dev server with namespace `default`. */
export interface RunningTemporalServer {
  readonly process: ManagedProcess;
  readonly address: string;
  readonly uiUrl: string | null;
  stop(): Promise<void>;
}

/** Starts a dev server on the loopback address and waits until its namespace answers. */
export async function startTemporalServer(input: StartTemporalServerInput): Promise<RunningTemporalServer> {
  const logFile = join(input.logDir, 'temporal.log');
  const process = await startProcess({ command: input.binary, args: serverArguments(input), logFile, env: { HOME: homedir() } });
  const address = `127.0.0.1:${input.port}`;
  const stop = (): Promise<void> => process.stop({ signal: 'SIGTERM', graceMs: STOP_GRACE_MS });
  try {
    await waitUntil({ what: 'the Temporal server answering', timeoutMs: READY_WITHIN_MS, probe: () => isAnswering(address, process) });
  } catch (error) {
    await stop();
    throw new Error(`the Temporal server did not start; its log is ${logFile}`, { cause: error });
  }
  return { process, address, uiUrl: input.uiPort === undefined ? null : `http://127.0.0.1:${input.uiPort}`, stop };
}

function serverArguments(input: StartTemporalServerInput): string[] {
  const settings = Object.entries(input.settings).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${JSON.stringify(value)}`]);
  const ui = input.uiPort === undefined ? ['--headless'] : ['--ui-port', String(input.uiPort), '--ui-disable-news-fetch'];
  const store = input.databaseFile === undefined ? [] : ['--db-filename', input.databaseFile];
  return [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(input.port),
    '--log-format',
    'json',
    '--log-level',
    'warn',
    ...ui,
    ...store,
    ...settings,
  ];
}

async function isAnswering(address: string, process: ManagedProcess): Promise<boolean> {
  if (!process.isRunning()) throw new Error(`the Temporal server ended with ${await process.exited}`);
  const connection = await Connection.connect({ address, connectTimeout: '2 seconds' });
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    return true;
  } finally {
    await connection.close();
  }
}
