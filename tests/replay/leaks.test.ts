import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows } from '../../packages/runtime/bundle.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

const NON_DETERMINISTIC = 24; // temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR

let folder: string;
let bundlePath: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-leaks-'));
  const workflowsPath = fileURLToPath(new URL('fixtures/leaks.ts', import.meta.url));
  bundlePath = (await bundleWorkflows({ bundleDir: folder, workflowsPath })).codePath;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const openRig = (maxCachedWorkflows: number): Promise<Rig> =>
  createRig({ bundlePath, replay: false, activities: () => ({ noop: async () => undefined }), worker: { maxCachedWorkflows } });

describe('a workflow that looks at the clock of its machine', () => {
  test('passes while it is cached: an ordinary test does not see it', async () => {
    const rig = await openRig(10);
    try {
      const answer = await rig.client.workflow.execute('leaky', { workflowId: `${rig.taskQueue}/cached`, taskQueue: rig.taskQueue });
      expect(answer).toBe('in time');
    } finally {
      await rig.close();
    }
  });

  test('is caught without a cache, within one run', async () => {
    const rig = await openRig(0);
    try {
      const handle = await rig.client.workflow.start('leaky', { workflowId: `${rig.taskQueue}/canary`, taskQueue: rig.taskQueue });
      const causes = async (): Promise<unknown[]> =>
        (await handle.fetchHistory()).events?.flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.cause ?? []) ?? [];
      await waitUntil({ what: 'a failed workflow task', timeoutMs: 30_000, probe: async () => (await causes()).length > 0 });
      expect((await causes())[0]).toBe(NON_DETERMINISTIC);
    } finally {
      await rig.close();
    }
  });
});

test('two runs of one type in one process do not share the state of their modules', async () => {
  const rig = await openRig(10);
  try {
    const run = (name: string): Promise<unknown> =>
      rig.client.workflow.execute('counted', { workflowId: `${rig.taskQueue}/${name}`, taskQueue: rig.taskQueue });
    expect(await Promise.all([run('a'), run('b')])).toEqual([1, 1]);
    expect(await run('c')).toBe(1);
  } finally {
    await rig.close();
  }
});
