import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { bundleWorkflows } from '../../packages/runtime/bundle.ts';
import type { WorkflowBundleFile } from '../../packages/runtime/bundle.ts';
import { connectClient } from '../../packages/runtime/connect.ts';
import type { ConnectedClient } from '../../packages/runtime/connect.ts';
import { TEST_SERVER_SETTINGS } from '../../packages/runtime/server-settings.ts';
import { embeddedTarget } from '../../packages/runtime/stack-target.ts';
import { startTemporalServer } from '../../packages/runtime/temporal-server.ts';
import type { RunningTemporalServer } from '../../packages/runtime/temporal-server.ts';
import { cloneDatabase, dropDatabase } from '../../packages/testing/databases.ts';
import { startStrata } from '../../packages/testing/strata-process.ts';
import type { StrataProcess } from '../../packages/testing/strata-process.ts';

const run = promisify(execFile);
const database = `versions_${process.pid}`;
const workers: StrataProcess[] = [];
let home = '';
let databaseUrl = '';
let server: RunningTemporalServer;
let connected: ConnectedClient;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'strata-versions-'));
  await chmod(home, 0o755);
  databaseUrl = await cloneDatabase(inject('strata'), database);
  // A server of its own: which version is current holds for all queues of a deployment.
  server = await startTemporalServer({
    binary: inject('strata').temporalBinary,
    port: await getPort(),
    logDir: home,
    settings: TEST_SERVER_SETTINGS,
  });
  connected = await connectClient(embeddedTarget(server.address));
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers.map((worker) => worker.exited));
  await connected.close();
  await server.stop();
  await dropDatabase(inject('strata'), database);
  await rm(home, { recursive: true, force: true });
});

const bundle = (version: 1 | 2): Promise<WorkflowBundleFile> =>
  bundleWorkflows({ bundleDir: home, workflowsPath: fileURLToPath(new URL(`./fixtures/greeting-${version}.ts`, import.meta.url)) });

async function deploy({ codePath }: WorkflowBundleFile, ...words: string[]): Promise<Record<string, unknown>> {
  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_CONFIG_FILE: join(home, 'no-profile.toml'),
    STRATA_WORKFLOW_BUNDLE: codePath,
  };
  const worker = startStrata(['worker', '--json', ...words], env);
  workers.push(worker);
  return worker.firstDocument();
}

async function temporal(...words: string[]): Promise<string> {
  const { stdout } = await run(inject('strata').temporalBinary, [...words, '--address', server.address, '-o', 'json']);
  return stdout;
}

async function startGreeting(id: string): Promise<WorkflowHandle> {
  await temporal('workflow', 'start', '--type', 'greeting', '--task-queue', 'strata', '--workflow-id', id);
  return connected.client.workflow.getHandle(id);
}

async function finish(handle: WorkflowHandle): Promise<unknown> {
  await temporal('workflow', 'signal', '--workflow-id', handle.workflowId, '--name', 'finish');
  return handle.result();
}

describe('versions of workers', { timeout: 300_000 }, () => {
  test('the same workflows are the same version, changed ones another', async () => {
    expect((await bundle(1)).buildId).toMatch(/^[0-9a-f]{16}$/);
    expect(await bundle(1)).toEqual(await bundle(1));
    expect((await bundle(2)).buildId).not.toBe((await bundle(1)).buildId);
  });

  test('an old run ends on its version, a new one starts on the version that was made current', async () => {
    const [first, second] = [await bundle(1), await bundle(2)];
    expect(await deploy(first)).toMatchObject({ buildId: first.buildId, isCurrent: true });
    const old = await startGreeting('old');
    await expect
      .poll(async () => (await old.describe()).raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId, { timeout: 20_000 })
      .toBe(first.buildId);

    expect(await deploy(second)).toMatchObject({ buildId: second.buildId, isCurrent: false });
    expect(await finish(await startGreeting('between'))).toBe('version 1');

    await temporal('worker', 'deployment', 'set-current-version', '--deployment-name', 'strata', '--build-id', second.buildId, '--yes');
    const fresh = await startGreeting('fresh');
    expect(await finish(old)).toBe('version 1');
    expect(await finish(fresh)).toBe('version 2');
    const described: unknown = JSON.parse(await temporal('worker', 'deployment', 'describe', '--name', 'strata'));
    expect(JSON.stringify(described)).toContain(second.buildId);
  });

  test('a worker started with --set-current takes the new runs', async () => {
    const first = await bundle(1);
    expect(await deploy(first, '--set-current')).toMatchObject({ isCurrent: true });
    expect(await finish(await startGreeting('back'))).toBe('version 1');
  });
});
