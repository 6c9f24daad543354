import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBinary, isAtLeast, resolveBinary } from './binaries.ts';
import { TEMPORAL_CLI } from './binary-catalog.ts';

let folder = '';
const entry = TEMPORAL_CLI;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-binaries-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function writeProgram(path: string, version: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "temporal version ${version} (Server 1.32.0, UI 2.54.1)"\n`);
  await chmod(path, 0o755);
  return path;
}

const search = (env: Record<string, string>) => ({ entry, env, cacheDir: join(folder, 'cache') });

test('a path in the environment wins over PATH and cache', async () => {
  const named = await writeProgram(join(folder, 'mine'), '1.9.1');
  await writeProgram(join(folder, 'bin/temporal'), '1.9.1');
  await writeProgram(join(folder, 'cache/temporal-1.9.1'), '1.9.1');
  expect(await findBinary(search({ STRATA_TEMPORAL_BIN: named, PATH: join(folder, 'bin') }))).toEqual({ path: named, source: 'environment' });
});

test('a variable that names no program is refused, not passed over', async () => {
  await writeProgram(join(folder, 'cache/temporal-1.9.1'), '1.9.1');
  await expect(findBinary(search({ STRATA_TEMPORAL_BIN: join(folder, 'nothing') }))).rejects.toThrow(/STRATA_TEMPORAL_BIN names .*nothing/);
});

test('a program on PATH is taken if it is new enough, else the cached one', async () => {
  const cached = await writeProgram(join(folder, 'cache/temporal-1.9.1'), '1.9.1');
  const old = await writeProgram(join(folder, 'bin/temporal'), '1.8.9');
  expect(await findBinary(search({ PATH: join(folder, 'bin') }))).toEqual({ path: cached, source: 'cache' });
  await writeProgram(old, '1.10.0');
  expect(await findBinary(search({ PATH: `/nowhere:${join(folder, 'bin')}` }))).toEqual({ path: old, source: 'path' });
});

test('what is found is never fetched', async () => {
  const cached = await writeProgram(join(folder, 'cache/temporal-1.9.1'), '1.9.1');
  const said: string[] = [];
  const found = await resolveBinary({ ...search({ PATH: '' }), say: (sentence) => said.push(sentence) });
  expect(found).toEqual({ path: cached, source: 'cache' });
  expect(said).toEqual([]);
});

test('nothing anywhere is undefined', async () => {
  expect(await findBinary(search({ PATH: '' }))).toBeUndefined();
});

test.each([
  ['1.9.0', '1.9.0', true],
  ['1.10.0', '1.9.9', true],
  ['2.0.0', '1.9.9', true],
  ['1.8.9', '1.9.0', false],
  ['22.17.9', '22.18.0', false],
])('version %s against oldest %s: %s', (version, oldest, expected) => {
  expect(isAtLeast(version, oldest)).toBe(expected);
});
