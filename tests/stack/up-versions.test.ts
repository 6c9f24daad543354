import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleWorkflows } from '../../packages/runtime/bundle.ts';
import { connectClient } from '../../packages/runtime/connect.ts';
import { readDeployment } from '../../packages/runtime/deployment.ts';
import { readStackFile } from '../../packages/runtime/stack-file.ts';
import { embeddedTarget } from '../../packages/runtime/stack-target.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { runStrata, startStrata } from '../../packages/testing/strata-process.ts';
import type { StrataProcess } from '../../packages/testing/strata-process.ts';

const OTHER_REGISTRY = fileURLToPath(new URL('../versions/fixtures/version-2.ts', import.meta.url));

let dataDir = '';
const started: StrataProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'strata-up-versions-'));
  await chmod(dataDir, 0o755);
});
afterAll(async () => {
  for (const each of started) each.kill('SIGTERM');
  await Promise.all(started.map((each) => each.exited));
  const cluster = await realpath(join(dataDir, 'postgres')).catch(() => dataDir);
  for (const folder of [cluster, dataDir]) await rm(folder, { recursive: true, force: true });
});

async function start(words: readonly string[], env = {}): Promise<{ process: StrataProcess; ready: Record<string, unknown> }> {
  const process = startStrata([...words, '--json', '--data', dataDir], env);
  started.push(process);
  return { process, ready: await process.firstDocument(120_000) };
}

async function strata(...words: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await runStrata([...words, '--json', '--data', dataDir]);
  expect(`${code} ${stderr}`).toBe('0 ');
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function stop(...processes: readonly StrataProcess[]): Promise<void> {
  for (const process of processes) process.kill('SIGTERM');
  await Promise.all(processes.map(({ exited }) => exited));
}

async function withClient<T>(
  ready: Record<string, unknown>,
  use: (client: Awaited<ReturnType<typeof connectClient>>['client']) => Promise<T>,
): Promise<T> {
  const { client, close } = await connectClient(embeddedTarget(String(ready['temporalAddress'])));
  try {
    return await use(client);
  } finally {
    await close();
  }
}

test(
  'a run that was open when the workflows changed is finished by its own version after the next start, new runs by the new one',
  { timeout: 600_000 },
  async () => {
    const first = await start(['up']);
    const other = await bundleWorkflows({ bundleDir: join(dataDir, 'bundles'), workflowsPath: OTHER_REGISTRY });
    const worker = await start(['worker', '--set-current'], { STRATA_WORKFLOW_BUNDLE: other.codePath });
    expect(worker.ready).toMatchObject({ buildId: other.buildId, isCurrent: true });
    await strata('probe', 'seed', '--set', 'open', '--items', '30', '--sleep', '500');
    const { workflowId } = await strata('run', 'probe', '--input', '{"set":"open","maxConcurrency":2}');
    await waitUntil({
      what: 'the run at work',
      timeoutMs: 60_000,
      probe: async () => (await strata('status', String(workflowId)))['toProcess'] === 30,
    });
    await strata('pause', String(workflowId));
    await stop(worker.process, first.process);

    const second = await start(['up']);
    const current = await withClient(second.ready, async (client) => (await readDeployment(client)).currentBuildId);
    expect(current).not.toBe(other.buildId);
    expect((await readStackFile(dataDir))?.parts.map(({ name }) => name)).toContain(`worker-${other.buildId}`);
    await strata('probe', 'seed', '--set', 'new', '--items', '3');
    expect(await strata('run', 'probe', '--input', '{"set":"new"}', '--wait')).toMatchObject({ outcome: 'completed', message: 'Processed 3 items' });
    await strata('resume', String(workflowId));
    const result = await withClient(second.ready, (client) => client.workflow.getHandle(String(workflowId)).result());
    expect(result).toMatchObject({ outcome: 'completed', succeeded: 30, message: 'version 2: Processed 30 items' });
  },
);
