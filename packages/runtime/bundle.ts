import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import type { BundleOptions } from '@temporalio/worker';
import type { WorkerConfig } from './config.ts';
import { payloadConverterOption } from './data-converter.ts';
import { REPOSITORY_ROOT, TRACE_INTERCEPTORS_PATH, WORKFLOWS_PATH } from './paths.ts';
import { EXIT, UserError } from './user-error.ts';

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** A bundle on disk. `buildId` = first 16 hex digits of the sha256 of its code without source map, so that equal workflows are the same version everywhere. */
export interface WorkflowBundleFile {
  readonly buildId: string;
  readonly codePath: string;
}

/** What is bundled and where the file goes; the default registry is the project's own. */
export interface BundleWorkflowsInput {
  readonly bundleDir: string;
  readonly workflowsPath?: string;
}

/** Bundles the workflows into `<bundleDir>/<buildId>.js`; a bundle that is already there is kept as it is. */
export async function bundleWorkflows(input: BundleWorkflowsInput): Promise<WorkflowBundleFile> {
  const { code } = await bundleWorkflowCode({
    ...bundleOptions(),
    workflowsPath: input.workflowsPath ?? WORKFLOWS_PATH,
    webpackConfigHook: withoutMachinePaths,
  });
  const buildId = computeBuildId(code);
  const codePath = join(input.bundleDir, `${buildId}.js`);
  await mkdir(input.bundleDir, { recursive: true });
  if (!existsSync(codePath)) {
    const partial = `${codePath}.${process.pid}`;
    await writeFile(partial, code);
    await rename(partial, codePath);
  }
  return { buildId, codePath };
}

/** What every bundle of the project's workflows is made of: registry, converter, and the interceptors that hand trace contexts on. */
export function bundleOptions(): BundleOptions {
  return {
    workflowsPath: WORKFLOWS_PATH,
    workflowInterceptorModules: [TRACE_INTERCEPTORS_PATH],
    logger: new DefaultLogger('WARN'),
    ...payloadConverterOption(),
  };
}

/** Modules are named from the checkout's root: named from the working folder, equal workflows would be another version wherever they were bundled. */
function withoutMachinePaths(config: WebpackConfig): WebpackConfig {
  return { ...config, context: REPOSITORY_ROOT, output: { ...config.output, devtoolModuleFilenameTemplate: '[resource-path]' } };
}

/** The bundle that a worker is told to run, else one made now from the sources. */
export async function requireBundle(config: Pick<WorkerConfig, 'dataDir' | 'workflowBundle'>): Promise<WorkflowBundleFile> {
  const codePath = config.workflowBundle;
  if (codePath === undefined) return bundleWorkflows({ bundleDir: bundleDirOf(config.dataDir) });
  const code = await readFile(codePath, 'utf8').catch((error: unknown) => {
    throw new UserError(`the workflow bundle ${codePath} cannot be read: correct STRATA_WORKFLOW_BUNDLE or unset it`, EXIT.refused, error);
  });
  return { buildId: computeBuildId(code), codePath };
}

/** Folder of the bundles of a data folder, one file per version. */
export function bundleDirOf(dataDir: string): string {
  return join(dataDir, 'bundles');
}

/** Of what is evaluated: the source map behind it names folders of this machine. */
function computeBuildId(code: string): string {
  const [evaluated = ''] = code.split('//# sourceMappingURL=');
  return createHash('sha256').update(evaluated).digest('hex').slice(0, 16);
}
