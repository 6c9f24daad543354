import getPort from 'get-port';
import { afterEach, describe, expect, test } from 'vitest';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { runStrata } from '../../packages/testing/strata-process.ts';
import { rigEnv, startWorkerProcess } from '../../packages/testing/worker-process.ts';
import { listPollers } from '../../packages/runtime/pollers.ts';

let rig: Rig | undefined;
afterEach(async () => {
  const last = rig;
  rig = undefined;
  await last?.close();
});

const NOWHERE = { STRATA_DATA_DIR: '/nonexistent/strata' };

describe('strata worker', { timeout: 300_000 }, () => {
  test('lists everything that is wrong with its settings before it connects', async () => {
    const { code, stderr } = await runStrata(['worker'], { ...NOWHERE, STRATA_ACTIVITY_SLOTS: '-1', STRATA_SET_CURRENT: 'maybe' });
    expect(code).toBe(2);
    expect(stderr).toContain('DATABASE_URL is required to start a worker');
    expect(stderr).toContain('STRATA_ACTIVITY_SLOTS');
    expect(stderr).toContain('STRATA_SET_CURRENT');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('names the part that does not answer, without its password', async () => {
    rig = await createRig({ workers: 0 });
    const port = await getPort();
    const noDatabase = await runStrata(['worker'], { ...rigEnv(rig), ...NOWHERE, DATABASE_URL: `postgres://me:hunter2@127.0.0.1:${port}/x` });
    expect([noDatabase.code, noDatabase.stderr]).toEqual([3, expect.stringContaining(`no Postgres answers at 127.0.0.1:${port}`)]);
    expect(noDatabase.stderr).not.toContain('hunter2');

    const noTemporal = await runStrata(['worker'], {
      ...rigEnv(rig),
      ...NOWHERE,
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      STRATA_WORKFLOW_BUNDLE: rig.servers.bundlePath,
    });
    expect([noTemporal.code, noTemporal.stderr]).toEqual([3, expect.stringContaining(`no Temporal server answers at 127.0.0.1:${port}`)]);
  });

  test('polls its queue under its own name, and ends with 0 on SIGTERM', async () => {
    rig = await createRig({ workers: 0 });
    const worker = await startWorkerProcess(rig);
    expect(await listPollers(rig.client, rig.taskQueue)).toEqual([expect.stringMatching(new RegExp(`^${worker.pid}@`))]);
    const { rows } = await rig.pool.query<{ identity: string }>('select identity from worker_leases where lease_until > now()');
    expect(rows.map(({ identity }) => identity)).toContainEqual(expect.stringMatching(new RegExp(`^${worker.pid}@`)));
    worker.kill('SIGTERM');
    const exit = await worker.exited;
    expect(exit.code).toBe(0);
    expect(JSON.parse(exit.stdout)).toMatchObject({ ready: true, buildId: rig.servers.buildId });
  });

  test('a killed process leaves its queue to the next one', async () => {
    rig = await createRig({ workers: 0 });
    const first = await startWorkerProcess(rig);
    first.kill('SIGKILL');
    expect((await first.exited).signal).toBe('SIGKILL');
    const second = await startWorkerProcess(rig);
    const handle = await rig.client.workflow.start('nobodyKnows', { workflowId: `${rig.taskQueue}/x`, taskQueue: rig.taskQueue });
    await expect(handle.result()).rejects.toThrow('Workflow execution failed');
    second.kill('SIGTERM');
    await second.exited;
  });
});

test('doctor names what is missing and exits with 3', async () => {
  const { code, stdout } = await runStrata(['doctor', '--json'], NOWHERE);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, checks: expect.arrayContaining([expect.objectContaining({ name: 'stack', ok: false })]) });
});
