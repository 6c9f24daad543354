import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { createTallyReporter } from './scripts/checks/tally-reporter.ts';

const RIG = './packages/testing/global-setup.ts';
const NEEDS_RIG = ['packages/{database,testing}/**/*.test.ts', '**/*.server.test.ts'];
const SECOND = 1_000;

interface Suite {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly seconds: number;
  readonly rig?: boolean;
  readonly inSeries?: boolean;
}

/** In the order of `scripts/test`; a test file belongs to exactly one. */
const SUITES: readonly Suite[] = [
  {
    name: 'unit',
    include: ['{packages,activities,bench,benchmarks,workers,workflows,scripts,tests/house}/**/*.test.ts'],
    exclude: NEEDS_RIG,
    seconds: 30,
  },
  { name: 'replay', include: ['tests/replay/**/*.test.ts'], seconds: 60, rig: true },
  { name: 'server', include: ['tests/**/*.test.ts', ...NEEDS_RIG], exclude: ['tests/{house,replay,browser,chaos}/**'], seconds: 180, rig: true },
  { name: 'browser', include: ['tests/browser/**/*.test.ts'], seconds: 120, rig: true, inSeries: true },
  { name: 'chaos', include: ['tests/chaos/**/*.test.ts'], seconds: 300, rig: true, inSeries: true },
];

/** Writes the replay corpus anew; `npm run histories` alone asks for it. */
const RECORDER: Suite = { name: 'histories', include: ['tests/replay/record-histories.ts'], seconds: 120, rig: true };

// The long rows at full size take as long as they take: their own bounds are in the tests.
const stretch = process.env['STRATA_TEST_FULL'] === '1' ? 10 : 1;

const createProject = (suite: Suite): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name: suite.name,
    include: [...suite.include],
    exclude: ['**/node_modules/**', ...(suite.exclude ?? [])],
    testTimeout: suite.seconds * SECOND * stretch,
    hookTimeout: Math.max(suite.seconds, 60) * SECOND,
    ...(suite.rig ? { globalSetup: [RIG] } : {}),
    ...(suite.inSeries ? { maxWorkers: 1, fileParallelism: false } : {}),
  },
});

const tallyFile = process.env['STRATA_TALLY_FILE'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    teardownTimeout: 30 * SECOND,
    env: { TZ: 'UTC' },
    reporters: tallyFile === undefined ? ['default'] : ['default', createTallyReporter(tallyFile)],
    projects: (process.env['STRATA_RECORD_HISTORIES'] === '1' ? [RECORDER] : SUITES).map(createProject),
  },
});
