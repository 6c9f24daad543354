import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import type { SkippedTest, Tally } from './tally.ts';

const UNEXPLAINED = 'no reason given';

const tallyModule = (module: TestModule): Tally => {
  const skipped: SkippedTest[] = [];
  let passed = 0;
  let failed = 0;
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === 'passed') passed += 1;
    else if (result.state === 'skipped') skipped.push({ name: test.fullName, reason: result.note ?? UNEXPLAINED });
    else failed += 1;
  }
  // A file that does not load, or a hook that fails outside every test, has no failed test to show for it.
  const isBroken = module.state() === 'failed' && failed === 0;
  return { passed, failed: isBroken ? 1 : failed, skipped };
};

/** A vitest reporter that writes what ran as a `Tally` in JSON. */
export const createTallyReporter = (file: string): Reporter => ({
  onTestRunEnd(modules, unhandledErrors) {
    const tallies = modules.map(tallyModule);
    const tally: Tally = {
      passed: tallies.reduce((sum, each) => sum + each.passed, 0),
      failed: tallies.reduce((sum, each) => sum + each.failed, unhandledErrors.length),
      skipped: tallies.flatMap((each) => each.skipped),
    };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(tally));
  },
});
