import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runCommand } from '../../scripts/checks/run-command.ts';

const root = join(import.meta.dirname, '../..');
const MINUTES = 60_000;
const guide = readFileSync(join(root, 'docs/agent-signal.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, body = '']) => body);

let copy: string;
const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
const write = (file: string, text: string): void => {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), text);
};

/** A block that begins with its path is a whole file. */
const writeFile = (block: string): void => {
  const [, file = '', text = ''] = /^\/\/ (\S+)\n(.*)$/s.exec(block) ?? [];
  write(file, text);
};

/** A block of lines to add and to take away; what it shows of the file as it is must stand there exactly once. */
const applyChange = (block: string): void => {
  const [head = '', ...lines] = block.trimEnd().split('\n');
  const file = head.replace('--- ', '');
  const linesOf = (left: string): string =>
    lines
      .filter((line) => line.startsWith(' ') || line.startsWith(left))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const parts = read(file).split(linesOf('-'));
  expect(parts, `${file} has the lines that the guide shows`).toHaveLength(2);
  write(file, parts.join(linesOf('+')));
};

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand({ command: process.execPath, args, cwd: copy, env, output: 'kept', deadlineMs: 5 * MINUTES });

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'strata-copy-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((each) => each !== '' && existsSync(join(root, each)))) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const block of blocksOf('ts')) writeFile(block);
  for (const block of blocksOf('diff')) applyChange(block);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('the flow of the guide passes types, lint and format', { timeout: 6 * MINUTES }, async () => {
  const files = ['activities/policies', 'packages/agent-signal', 'tests/agent-signal'];
  for (const args of [
    ['node_modules/typescript/bin/tsc', '-b'],
    ['node_modules/oxlint/bin/oxlint', ...files],
    ['node_modules/oxfmt/bin/oxfmt', '--check', ...files],
  ]) {
    const { exitCode, output } = await run(args);
    expect(exitCode, output).toBe(0);
  }
});

test('it works on real servers, and the house misses no link', { timeout: 6 * MINUTES }, async () => {
  const tests = ['tests/agent-signal/order-delay.test.ts', 'tests/house/policies.test.ts'];
  const { exitCode, output } = await run(['node_modules/vitest/vitest.mjs', 'run', '--project', 'server', '--project', 'unit', ...tests], {
    STRATA_TEMPORAL_BIN: inject('strata').temporalBinary,
    STRATA_TALLY_FILE: join(copy, 'tally.json'),
  });
  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/Test Files\s+2 passed \(2\)/);
});
