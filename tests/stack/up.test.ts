import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { runStrata, startStrata } from '../../packages/testing/strata-process.ts';
import type { StrataEnv, StrataProcess } from '../../packages/testing/strata-process.ts';
import { connectClient } from '../../packages/runtime/connect.ts';
import { isAlive } from '../../packages/runtime/process-identity.ts';
import { readStackFile } from '../../packages/runtime/stack-file.ts';
import type { StackPart } from '../../packages/runtime/stack-file.ts';
import { embeddedTarget } from '../../packages/runtime/stack-target.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

/** First of so many ports in a row that are free. */
async function getFreeBlock(ports: number): Promise<number> {
  for (;;) {
    const base = await getPort();
    // get-port holds back what it has just given out, so the base itself is not asked for again.
    const wanted = Array.from({ length: ports - 1 }, (_, index) => base + 1 + index);
    const got = await Promise.all(wanted.map((port) => getPort({ port })));
    if (got.every((port, index) => port === wanted[index])) return base;
  }
}

let dataDir = '';
const started: StrataProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'strata-up-'));
  await chmod(dataDir, 0o755);
});
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.kill('SIGTERM');
    await each.exited;
  }
});
afterAll(async () => {
  await runStrata(['down', '--data', dataDir]);
  const cluster = await realpath(join(dataDir, 'postgres')).catch(() => dataDir);
  for (const folder of [cluster, dataDir]) await rm(folder, { recursive: true, force: true });
});

interface Ready {
  readonly process: StrataProcess;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly gatewayUrl: string;
}

async function up(words: readonly string[] = [], env: StrataEnv = {}): Promise<Ready> {
  const stack = startStrata(['up', '--json', '--data', dataDir, ...words], env);
  started.push(stack);
  const ready = await stack.firstDocument();
  expect(ready).toMatchObject({ ready: true, pid: stack.pid });
  return {
    process: stack,
    databaseUrl: String(ready['databaseUrl']),
    temporalAddress: String(ready['temporalAddress']),
    gatewayUrl: String(ready['gatewayUrl']),
  };
}

async function query(databaseUrl: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Nobody polls its queue, so it is running for as long as the server keeps its state. */
async function startWaiting(address: string, workflowId: string): Promise<void> {
  const { client, close } = await connectClient(embeddedTarget(address));
  await client.workflow.start('waiting', { workflowId, taskQueue: 'nobody' });
  await close();
}

async function statusOf(address: string, workflowId: string): Promise<string> {
  const { client, close } = await connectClient(embeddedTarget(address));
  const { status } = await client.workflow.getHandle(workflowId).describe();
  await close();
  return status.name;
}

const parts = async (): Promise<readonly StackPart[]> => (await readStackFile(dataDir))?.parts ?? [];

describe('strata up', { timeout: 300_000 }, () => {
  test('starts every part, is well, and refuses a second stack on the same data', async () => {
    const { databaseUrl, temporalAddress } = await up(['--workers', '2']);
    expect((await parts()).map(({ name }) => name)).toEqual(['postgres', 'temporal', 'worker-1', 'worker-2', 'gateway']);
    const doctor = await runStrata(['doctor', '--json', '--data', dataDir]);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ ok: true });
    expect(doctor.code).toBe(0);

    const second = await runStrata(['up', '--json', '--data', dataDir]);
    expect(second.code).toBe(3);
    expect(second.stderr).toContain(`a stack already runs on ${dataDir}`);
    expect(JSON.parse(second.stdout)).toMatchObject({ exitCode: 3 });

    await query(databaseUrl, 'create table kept (word text)');
    await query(databaseUrl, "insert into kept values ('first')");
    await startWaiting(temporalAddress, 'kept/1');
  });

  test('after SIGTERM nothing is left within 10 s, and the next start has the data and the runs', async () => {
    const before = await up();
    const pids = [before.process.pid, ...(await parts()).map(({ pid }) => pid)];
    const since = performance.now();
    before.process.kill('SIGTERM');
    expect((await before.process.exited).code).toBe(0);
    expect(performance.now() - since).toBeLessThan(10_000);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await readStackFile(dataDir)).toBeUndefined();

    const after = await up();
    expect(await query(after.databaseUrl, 'select word from kept')).toEqual([{ word: 'first' }]);
    expect(await statusOf(after.temporalAddress, 'kept/1')).toBe('RUNNING');
  });

  test('a part that is killed comes back on its address with its data', async () => {
    const { databaseUrl, temporalAddress } = await up();
    await query(databaseUrl, "insert into kept values ('second')");
    await startWaiting(temporalAddress, 'kept/2');
    const before = await parts();
    for (const { pid } of before) process.kill(pid, 'SIGKILL');
    await waitUntil({
      what: 'new processes of all parts',
      timeoutMs: 120_000,
      probe: async () => {
        const now = await parts();
        return now.every(({ name, pid }) => isAlive(pid) && before.find((part) => part.name === name)?.pid !== pid);
      },
    });
    expect(await query(databaseUrl, 'select word from kept order by word')).toEqual([{ word: 'first' }, { word: 'second' }]);
    expect(await statusOf(temporalAddress, 'kept/2')).toBe('RUNNING');
    await waitUntil({
      what: 'a well stack',
      timeoutMs: 120_000,
      everyMs: 500,
      probe: async () => (await runStrata(['doctor', '--json', '--data', dataDir])).code === 0,
    });
  });

  test('the next start ends what a killed one left behind, and loses nothing', async () => {
    const killed = await up();
    const orphans = (await parts()).map(({ pid }) => pid);
    killed.process.kill('SIGKILL');
    await killed.process.exited;
    expect(orphans.map(isAlive)).toEqual([true, true, true, true]);

    const next = await up();
    expect(orphans.filter(isAlive)).toEqual([]);
    expect(await statusOf(next.temporalAddress, 'kept/2')).toBe('RUNNING');
    expect(await query(next.databaseUrl, 'select count(*)::int as kept from kept')).toEqual([{ kept: 2 }]);
  });

  test('down stops a stack that was started elsewhere, and says so where there is none', async () => {
    const { process: stack } = await up();
    const down = await runStrata(['down', '--json', '--data', dataDir]);
    expect(JSON.parse(down.stdout)).toEqual({ stopped: true, pid: stack.pid });
    expect((await stack.exited).code).toBe(0);
    const again = await runStrata(['down', '--data', dataDir]);
    expect([again.code, again.stderr]).toEqual([3, `strata: no stack runs on ${dataDir}: name its folder with --data\n`]);
  });

  test('stopped while it starts, it leaves nothing', async () => {
    const stack = startStrata(['up', '--json', '--data', dataDir]);
    await waitUntil({ what: 'a first part', timeoutMs: 120_000, probe: async () => (await parts()).length > 0 });
    const [first] = await parts();
    stack.kill('SIGINT');
    expect((await stack.exited).stdout).toBe('');
    expect(isAlive(first!.pid)).toBe(false);
    expect(await parts()).toEqual([]);
  });

  test('given servers are used in place of embedded ones', async () => {
    const { temporalAddress } = inject('strata');
    const ready = await up([], { TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_CONFIG_FILE: join(dataDir, 'no-profile.toml') });
    expect(ready.temporalAddress).toBe(temporalAddress);
    expect((await parts()).map(({ name }) => name)).toEqual(['postgres', 'worker-1', 'gateway']);
    expect((await fetch(`${ready.gatewayUrl}/readyz`)).status).toBe(200);
  });

  test('ports count up from --port-base, and a taken one is refused', async () => {
    const base = await getFreeBlock(6);
    const { temporalAddress } = await up(['--port-base', String(base)]);
    expect(temporalAddress).toBe(`127.0.0.1:${base}`);
    const other = await mkdtemp(join(tmpdir(), 'strata-up-'));
    const refused = await runStrata(['up', '--data', other, '--port-base', String(base)]);
    await rm(other, { recursive: true, force: true });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`port ${base}`)]);
  });
});
