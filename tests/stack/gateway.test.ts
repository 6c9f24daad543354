import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { runGateway } from '../../workers/gateway.ts';
import type { ReadyGateway } from '../../workers/gateway.ts';

let rig: Rig;

beforeEach(async () => {
  rig = await createRig({ workers: 0, replay: false });
});
afterEach(() => rig.close());

interface Way {
  readonly port: number;
  /** From now on nothing comes through; `silent`: what is open stays open. */
  block(how: 'closed' | 'silent'): Promise<void>;
  open(): Promise<void>;
}

/** A way to a server that can be blocked. */
const openWay = async (address: string): Promise<Way> => {
  const [host, port] = address.split(':') as [string, string];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const other = connect(Number(port), host);
    for (const each of [socket, other]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    socket.pipe(other).pipe(socket);
  });
  const open = async (at = 0): Promise<void> => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await open();
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    open: () => open(own),
    block: async (how) => {
      for (const socket of sockets) if (how === 'silent') socket.unpipe().pause();
      if (how === 'silent') return;
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Runs a gateway in this process until the work is done. */
const withGateway = async (env: Record<string, string>, work: (url: string) => Promise<void>): Promise<void> => {
  const ending = new AbortController();
  const ready = Promise.withResolvers<ReadyGateway>();
  const ended = runGateway({ env, signal: ending.signal, onReady: ready.resolve, onError: () => undefined });
  ended.catch(ready.reject);
  try {
    await work((await ready.promise).url);
  } finally {
    ending.abort();
    await ended;
  }
};

test('a gateway is ready while the database and Temporal answer, not because they once did', async () => {
  const way = await openWay(rig.servers.temporalAddress);
  const env = {
    DATABASE_URL: rig.databaseUrl,
    TEMPORAL_ADDRESS: `127.0.0.1:${way.port}`,
    TEMPORAL_NAMESPACE: rig.namespace,
    STRATA_GATEWAY_ADDRESS: '127.0.0.1:0',
  };
  await withGateway(env, async (url) => {
    const ask = async () => {
      const response = await fetch(`${url}/readyz`);
      return { status: response.status, body: await response.json() };
    };
    const ready = { status: 200, body: { database: true, temporal: true } };
    const without = { status: 503, body: { database: true, temporal: false } };
    expect(await ask()).toEqual(ready);
    await way.block('closed');
    expect(await ask()).toEqual(without);
    await way.open();
    await waitUntil({ what: 'the gateway ready again', timeoutMs: 30_000, probe: async () => (await ask()).status === 200 });
    await way.block('silent');
    const asked = performance.now();
    expect(await ask()).toEqual(without);
    expect(performance.now() - asked).toBeLessThan(4_000);
    await way.block('closed');
  });
});
