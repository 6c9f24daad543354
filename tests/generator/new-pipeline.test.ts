import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runCommand } from '../../scripts/checks/run-command.ts';
import type { FileCheck } from '../../scripts/new-pipeline/check-files.ts';

const root = join(import.meta.dirname, '../..');
const MINUTES = 60_000;
const NEW_FILES = [
  'activities/invoice-match.ts',
  'packages/contracts/invoice-match.ts',
  'tests/pipelines/invoice-match.test.ts',
  'workflows/invoice-match.ts',
];
const NEW_LINES = {
  'activities/index.ts': "export { createInvoiceMatchActivities } from './invoice-match.ts';",
  'packages/contracts/pipelines.ts': "export { invoiceMatchContract } from './invoice-match.ts';",
  'workflows/index.ts': "export { invoiceMatch } from './invoice-match.ts';",
};

let copy: string;
let before: Map<string, string>;

const isSource = (file: string): boolean => !/(^|\/)(node_modules|\.types|\.strata)(\/|$)/.test(file);
const readAll = (): Map<string, string> => {
  const files = readdirSync(copy, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(copy.length + 1)).filter(isSource);
  return new Map(paths.map((path) => [path, readFileSync(join(copy, path), 'utf8')]));
};

const strata = (...words: string[]) => {
  const args = [join(root, 'scripts/strata.ts'), 'new', ...words, '--directory', copy];
  return runCommand({ command: process.execPath, args, output: 'kept', deadlineMs: 5 * MINUTES });
};

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'strata-copy-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\0').filter((file) => file !== '' && isSource(file) && existsSync(join(root, file)));
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  before = readAll();
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('new pipeline makes four files and three sorted lines that pass types, lint and format', { timeout: 6 * MINUTES }, async () => {
  const { exitCode, output } = await strata('pipeline', 'invoice-match', '--json');
  const { checks, created } = JSON.parse(output) as { created: string[]; checks: FileCheck[] };
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual(['types', 'lint', 'format']);
  expect(created.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(NEW_FILES);
  expect(exitCode).toBe(0);

  const after = readAll();
  expect([...after.keys()].filter((file) => !before.has(file)).sort()).toEqual(NEW_FILES);
  const changed = [...before.keys()].filter((file) => after.get(file) !== before.get(file)).sort();
  expect(changed).toEqual(Object.keys(NEW_LINES));
  for (const [file, line] of Object.entries(NEW_LINES)) {
    const lines = (after.get(file) ?? '').split('\n');
    expect(lines.toSpliced(lines.indexOf(line), 1).join('\n')).toBe(before.get(file));
    const entities = lines.flatMap((each) => /^export \{.*\} from '\.\/(.*)\.ts';$/.exec(each)?.[1] ?? []);
    expect(entities).toEqual(entities.toSorted((one, other) => (one < other ? -1 : 1)));
  }
  for (const file of NEW_FILES) expect(after.get(file)).not.toMatch(/square.?number/i);
});

test('what it made passes its own test on real servers', { timeout: 6 * MINUTES }, async () => {
  const { exitCode, output } = await runCommand({
    command: process.execPath,
    args: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'server', 'tests/pipelines/invoice-match.test.ts'],
    cwd: copy,
    env: { STRATA_TEMPORAL_BIN: inject('strata').temporalBinary, STRATA_TALLY_FILE: join(copy, 'tally.json') },
    output: 'kept',
    deadlineMs: 5 * MINUTES,
  });
  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/Tests\s+4 passed \(4\)/);
  rmSync(join(copy, 'tally.json'), { force: true });
});

test('new check names what is left to fill in, by stage', async () => {
  const { exitCode, output } = await strata('check', 'invoice-match', '--json');
  const { left } = JSON.parse(output) as { left: { stage: string; part: string; file: string }[] };
  expect(exitCode).toBe(1);
  expect(left.map(({ part }) => part)).toEqual(expect.arrayContaining(['description', 'eligible', 'executeItem', 'fields', 'limits', 'smokeInput']));
  expect([...new Set(left.map(({ stage }) => stage))]).toEqual(['plan', 'build', 'ship']);
  expect(new Set(left.map(({ file }) => file))).toEqual(new Set(NEW_FILES));
});

test.each([
  ['invoice-match', 'packages/contracts/invoice-match.ts exists already'],
  ['square-number', 'packages/contracts/square-number.ts exists already'],
  ['invoice_match', 'such as invoice-match'],
  ['class', 'reserved'],
])('%s is refused, and nothing changes: %s', async (name, reason) => {
  const unchanged = readAll();
  const { exitCode, output } = await strata('pipeline', name);
  expect(output).toContain(reason);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(exitCode).toBe(2);
  expect(readAll()).toEqual(unchanged);
});
