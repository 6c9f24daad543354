import { parseArgs } from 'node:util';
import { resolveBinary } from '../packages/runtime/binaries.ts';
import { TEMPORAL_CLI, TEMPORAL_TEST_SERVER } from '../packages/runtime/binary-catalog.ts';
import { BINARY_CACHE } from '../packages/runtime/paths.ts';
import { installChromium } from './checks/chromium.ts';
import { reportFailure } from './cli/run-cli.ts';

// The last step of ./scripts/setup. `--tests` also gets the time-skipping server, and a browser, which only tests need.
try {
  const { values } = parseArgs({ options: { tests: { type: 'boolean' } } });
  const say = (sentence: string): void => console.error(`setup: ${sentence}`);
  for (const entry of values.tests ? [TEMPORAL_CLI, TEMPORAL_TEST_SERVER] : [TEMPORAL_CLI]) {
    const { path, source } = await resolveBinary({ entry, env: process.env, cacheDir: BINARY_CACHE, say });
    say(`${entry.program}: ${path} (${source})`);
  }
  if (values.tests) await installChromium(process.env, say);
} catch (error) {
  process.exitCode = reportFailure(error, { isJson: false });
}
