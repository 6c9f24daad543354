import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleWorkflows, requireBundle } from '../../packages/runtime/bundle.ts';
import type { WorkflowBundleFile } from '../../packages/runtime/bundle.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';

const CHANGED = join(REPOSITORY_ROOT, 'tests/versions/fixtures/version-2.ts');

describe('the build id, which is the hash of the workflow bundle', () => {
  const home = process.cwd();
  let folder: string;
  let bundle: WorkflowBundleFile;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'strata-build-id-'));
    bundle = await bundleWorkflows({ bundleDir: join(folder, 'here') });
  }, 60_000);
  afterAll(async () => {
    process.chdir(home);
    await rm(folder, { recursive: true, force: true });
  });

  test('is the same for equal sources, whatever the working folder', { timeout: 60_000 }, async () => {
    process.chdir(folder);
    const elsewhere = await bundleWorkflows({ bundleDir: join(folder, 'elsewhere') });
    process.chdir(home);
    expect(elsewhere.buildId).toBe(bundle.buildId);
  });

  test('names no folder of the machine in the code that is hashed', async () => {
    const [evaluated] = (await readFile(bundle.codePath, 'utf8')).split('//# sourceMappingURL=');
    expect(evaluated).toContain('packages/durable/pipeline.ts');
    expect(evaluated).not.toContain(REPOSITORY_ROOT);
  });

  test('is another one where a workflow has changed', { timeout: 60_000 }, async () => {
    expect((await bundleWorkflows({ bundleDir: folder, workflowsPath: CHANGED })).buildId).not.toBe(bundle.buildId);
  });

  test('is read off a bundle that a worker is told to run', async () => {
    expect(await requireBundle({ dataDir: folder, workflowBundle: bundle.codePath })).toEqual(bundle);
  });
});
