import { join } from 'node:path';
import getPort from 'get-port';
import { startProcess } from './child-process.ts';
import { definedOnly } from './env.ts';
import { REPOSITORY_ROOT } from './paths.ts';
import { stackEnv } from './stack-workers.ts';
import type { StartStackWorkersInput } from './stack-workers.ts';
import { EXIT, UserError } from './user-error.ts';
import { waitUntil } from './wait-until.ts';

const USUAL_PORT = 8_080;
const READY_WITHIN_MS = 30_000;
const KILL_AFTER_MS = 6_000;
const HOST = '127.0.0.1';

async function choosePort(wanted: number | undefined): Promise<number> {
  const port = await getPort({ port: wanted ?? USUAL_PORT, host: HOST });
  if (wanted !== undefined && port !== wanted)
    throw new UserError(`port ${wanted} is taken: choose another --gateway-port, or leave it out for a free one`, EXIT.unreachable);
  return port;
}

const answers = async (url: string): Promise<boolean> => (await fetch(`${url}/livez`).catch(() => undefined))?.ok === true;

/** Starts the gateway of a stack; resolves to its URL when it answers. */
export async function startStackGateway(input: Omit<StartStackWorkersInput, 'connected'>): Promise<string> {
  const { dataDir, book, signal } = input;
  const port = await choosePort(input.gatewayPort);
  const given = definedOnly(input.env)['STRATA_GATEWAY_ADDRESS'];
  const address = input.gatewayPort === undefined && given !== undefined ? given : `${HOST}:${port}`;
  const env = { ...(await stackEnv(input)), STRATA_GATEWAY_ADDRESS: address };
  const script = join(REPOSITORY_ROOT, 'scripts/strata.ts');
  const logFile = join(dataDir, 'logs', 'gateway.log');
  await book.add({
    name: 'gateway',
    words: [script, 'gateway'],
    start: async () => {
      const started = await startProcess({ command: process.execPath, args: [script, 'gateway'], logFile, cwd: REPOSITORY_ROOT, env });
      return { process: started, stop: () => started.stop({ signal: 'SIGTERM', graceMs: KILL_AFTER_MS }) };
    },
  });
  const url = `http://${address}`;
  await waitUntil({
    what: `the gateway answering on ${url} (its log is ${logFile})`,
    timeoutMs: READY_WITHIN_MS,
    everyMs: 100,
    signal,
    probe: () => answers(url),
  });
  return url;
}
