import { parseArgs } from 'node:util';
import { bundleDirOf, bundleWorkflows } from '../packages/runtime/bundle.ts';
import { resolveDataDir } from '../packages/runtime/paths.ts';
import { reportFailure } from './cli/run-cli.ts';

// Bundles the workflows into `--out` (default: .strata/bundles) and prints `{"buildId","codePath"}`: the one build artefact of a deployment.
try {
  const { values } = parseArgs({ options: { out: { type: 'string' } } });
  console.log(JSON.stringify(await bundleWorkflows({ bundleDir: values.out ?? bundleDirOf(resolveDataDir(undefined)) })));
} catch (error) {
  process.exitCode = reportFailure(error, { isJson: false });
}
