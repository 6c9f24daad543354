import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeFiles } from './write-files.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'strata-write-'));
  writeFileSync(join(root, 'registry.ts'), 'old');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const created = { path: 'new.ts', before: null, after: 'new' };
const changed = { path: 'registry.ts', before: 'old', after: 'changed' };
const read = () => Object.fromEntries(readdirSync(root).map((file) => [file, readFileSync(join(root, file), 'utf8')]));

test('new files and changed files are written, and nothing else stays behind', () => {
  writeFiles(root, [created, changed]);
  expect(read()).toEqual({ 'new.ts': 'new', 'registry.ts': 'changed' });
});

test('a file that appeared meanwhile stops the whole, and keeps its text', () => {
  writeFileSync(join(root, 'late.ts'), 'theirs');
  expect(() => writeFiles(root, [created, changed, { path: 'late.ts', before: null, after: 'ours' }])).toThrow('EEXIST');
  expect(read()).toEqual({ 'registry.ts': 'old', 'late.ts': 'theirs' });
});

test('a place that cannot be written leaves everything as it was', () => {
  expect(() => writeFiles(root, [created, changed, { path: 'missing/room.ts', before: null, after: 'x' }])).toThrow('ENOENT');
  expect(read()).toEqual({ 'registry.ts': 'old' });
});

test('a folder in the place of a registry takes the new files back', () => {
  mkdirSync(join(root, 'folder'));
  expect(() => writeFiles(root, [created, { path: 'folder', before: 'old', after: 'x' }])).toThrow('EISDIR');
  rmSync(join(root, 'folder'), { recursive: true });
  expect(read()).toEqual({ 'registry.ts': 'old' });
});
