import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, UserError } from './user-error.ts';

const ANSWER_WITHIN_MS = 2_000;

/** What must hold for a process to be ready, by name, looked up when a probe asks; a check that throws or takes longer than 2 s does not hold. */
export type HealthChecks = Record<string, () => Promise<boolean>>;

/** Where probes ask. */
export interface HealthServer {
  close(): Promise<void>;
}

const NOWHERE: HealthServer = { close: () => Promise.resolve() };

/**
 * Answers probes on `host:port`: `/livez` is 200 while the event loop turns, `/readyz` 200 while every check holds and else 503, with each check's state as JSON.
 * Without an address there is none; one that cannot be taken is a UserError (exit 3).
 */
export async function startHealthServer(address: string | undefined, checks: HealthChecks): Promise<HealthServer> {
  if (address === undefined) return NOWHERE;
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
    if (request.url === '/livez') return answer(200, { alive: true });
    if (request.url !== '/readyz') return answer(404, { error: 'ask /livez or /readyz' });
    void runChecks(checks).then((states) => answer(Object.values(states).every(Boolean) ? 200 : 503, states));
  });
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  try {
    server.listen(Number(port), host);
    await once(server, 'listening');
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UserError(`probes cannot be answered on ${address} (${problem}): correct STRATA_HEALTH_ADDRESS`, EXIT.unreachable, error);
  }
  // A probe must not keep a process that has nothing else to do.
  server.unref();
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** State of each check, asked now. */
export async function runChecks(checks: HealthChecks): Promise<Readonly<Record<string, boolean>>> {
  const states = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await holds(check)] as const));
  return Object.fromEntries(states);
}

async function holds(check: () => Promise<boolean>): Promise<boolean> {
  const ending = new AbortController();
  const late = delay(ANSWER_WITHIN_MS, false, { signal: ending.signal }).catch(() => false);
  try {
    return await Promise.race([check().catch(() => false), late]);
  } finally {
    ending.abort();
  }
}
