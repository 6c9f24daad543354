import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './run-command.ts';
import type { Tally } from './tally.ts';

const root = join(import.meta.dirname, '../..');
// Inside the checkout, so that vitest resolves.
const home = mkdtempSync(join(root, 'node_modules/.tally-'));
const tallyFile = join(home, 'out/tally.json');
let tally: Tally;

const CONFIG = `import { createTallyReporter } from '${join(root, 'scripts/checks/tally-reporter.ts')}';
export default { test: { reporters: [createTallyReporter('${tallyFile}')] } };
`;

const FILES: Readonly<Record<string, string>> = {
  'mixed.test.mjs': `test('passes', () => {});
    test('fails', () => { throw new Error('no'); });
    test('skips', ({ skip }) => { skip('no Chromium here'); });
    test.skip('skips silently', () => {});`,
  'hook.test.mjs': `beforeAll(() => { throw new Error('no server'); });\ntest('never ran', () => {});`,
  'broken.test.mjs': `throw new Error('does not load');`,
};

beforeAll(async () => {
  writeFileSync(join(home, 'vitest.config.mjs'), CONFIG);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(home, name), `import { beforeAll, test } from 'vitest';\n${text}\n`);
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', home];
  const end = await runCommand({ command: process.execPath, args, output: 'kept', deadlineMs: 30_000 });
  expect(end.exitCode).toBe(1);
  tally = JSON.parse(readFileSync(tallyFile, 'utf8')) as Tally;
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('what passed is counted once', () => {
  expect(tally.passed).toBe(1);
});

test('a failed test, a hook that fails outside tests and a file that does not load are one failure each', () => {
  expect(tally.failed).toBe(3);
});

test('each skipped test has its reason', () => {
  expect(Object.fromEntries(tally.skipped.map(({ name, reason }) => [name, reason]))).toEqual({
    skips: 'no Chromium here',
    'skips silently': 'no reason given',
    'never ran': 'no reason given',
  });
});
