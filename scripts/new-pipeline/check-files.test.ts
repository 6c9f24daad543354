import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkFiles } from './check-files.ts';

let root: string;

const install = (path: string, code: string): void => {
  const program = join(root, 'node_modules', path);
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, code);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'strata-checks-'));
  install('typescript/bin/tsc', 'process.exit(process.argv[2] === "-b" ? 0 : 1)');
  install('oxlint/bin/oxlint', 'console.log(process.argv.at(-1), "has a fault"); process.exit(1)');
  install('oxfmt/bin/oxfmt', 'process.exit(process.argv.includes("--check") ? 0 : 1)');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('each check has its verdict, and one that fails tells why', async () => {
  expect(await checkFiles(root, ['activities/invoice-match.ts'])).toEqual([
    { name: 'types', ok: true, seconds: expect.any(Number) },
    { name: 'lint', ok: false, seconds: expect.any(Number), output: 'activities/invoice-match.ts has a fault' },
    { name: 'format', ok: true, seconds: expect.any(Number) },
  ]);
});

test('a program that is not installed is a failed check', async () => {
  rmSync(join(root, 'node_modules/typescript'), { recursive: true });
  const [types] = await checkFiles(root, []);
  expect(types).toMatchObject({ name: 'types', ok: false, output: expect.stringContaining('Cannot find module') });
});
