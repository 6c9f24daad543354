import { relative } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { BundleOptions } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleOptions } from '../../packages/runtime/bundle.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** Everything that a workflow may carry into its sandbox: the SDK with what it brings, and one hash. */
const ALLOWED_PACKAGES = ['@noble/hashes', '@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];
const ALLOWED_ROOMS = /^(workflows|packages\/(contracts|durable|flow-control|agent-signal|publishing))\//;
const ONE_MEGABYTE = 1_000_000;

const collectModules =
  (found: Set<string>) =>
  (config: WebpackConfig): WebpackConfig => ({
    ...config,
    plugins: [
      ...(config.plugins ?? []),
      (compiler) => {
        compiler.hooks.compilation.tap('collect', (compilation) => {
          compilation.hooks.finishModules.tap('collect', (modules) => {
            for (const module of modules) found.add(module.nameForCondition() ?? module.identifier());
          });
        });
      },
    ],
  });

describe('the workflow bundle', () => {
  const modules = new Set<string>();
  let code = '';

  beforeAll(async () => {
    ({ code } = await bundleWorkflowCode({ ...bundleOptions(), webpackConfigHook: collectModules(modules) }));
  });

  test('holds no package but those named here', () => {
    const packages = [...modules].flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect(packages).toContain('@temporalio/workflow');
    expect([...new Set(packages)].filter((name) => !ALLOWED_PACKAGES.includes(name))).toEqual([]);
  });

  test('holds no Node module and no source of a room outside the workflow side', () => {
    const sources = [...modules].filter((path) => path !== '' && !path.includes('node_modules')).map((path) => relative(REPOSITORY_ROOT, path));
    expect(sources).toContain('workflows/index.ts');
    expect(sources.filter((path) => !ALLOWED_ROOMS.test(path))).toEqual([]);
  });

  test('holds no schema, and with it no zod', () => {
    expect([...modules].filter((path) => path.endsWith('.schema.ts'))).toEqual([]);
  });

  test('is small, as it is evaluated once per run', () => {
    // The source map inlined at its end is not evaluated.
    expect(code.split('//# sourceMappingURL=')[0]?.length).toBeLessThan(ONE_MEGABYTE);
  });
});
