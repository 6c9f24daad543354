import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import getPort from 'get-port';
import { afterEach, describe, expect, test } from 'vitest';
import { startHealthServer } from './health-server.ts';
import type { HealthChecks, HealthServer } from './health-server.ts';

let server: HealthServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (checks: HealthChecks, host = '127.0.0.1'): Promise<(path: string) => Promise<[number, unknown]>> => {
  const address = `${host}:${await getPort()}`;
  server = await startHealthServer(address, checks);
  return async (path) => {
    const response = await fetch(`http://${address}${path}`);
    return [response.status, await response.json()];
  };
};

describe('the health server', () => {
  test('is ready while every check holds, and names those that do not', async () => {
    let isUp = true;
    const ask = await start({ workers: async () => true, database: async () => isUp });
    expect(await ask('/readyz')).toEqual([200, { workers: true, database: true }]);
    isUp = false;
    expect(await ask('/readyz')).toEqual([503, { workers: true, database: false }]);
  });

  test('takes a check that throws, or that does not answer, for one that does not hold', async () => {
    const ask = await start({ broken: () => Promise.reject(new Error('no')), silent: () => new Promise(() => undefined) });
    expect(await ask('/readyz')).toEqual([503, { broken: false, silent: false }]);
  });

  test('is alive whatever the checks say, and knows no other path', async () => {
    const ask = await start({ database: async () => false });
    expect((await ask('/livez'))[0]).toBe(200);
    expect((await ask('/'))[0]).toBe(404);
  });

  test('listens on an IPv6 address', async () => {
    const ask = await start({}, '[::1]');
    expect((await ask('/livez'))[0]).toBe(200);
  });

  test('refuses an address that is taken, naming its variable', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    await expect(startHealthServer(address, {})).rejects.toThrow(`${address} (listen EADDRINUSE`);
    await expect(startHealthServer(address, {})).rejects.toThrow('correct STRATA_HEALTH_ADDRESS');
    other.close();
  });

  test('is nowhere without an address', async () => {
    const nowhere = await startHealthServer(undefined, {});
    expect(await nowhere.close()).toBeUndefined();
  });
});
