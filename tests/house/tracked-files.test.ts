import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const NUL = '\0';

const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const files = listed.split(NUL).filter((file) => file !== '' && existsSync(join(root, file)));
const texts = files
  .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8') }))
  .filter(({ lines }) => !lines.includes(NUL))
  .flatMap(({ file, lines }) => lines.split('\n').map((line, index) => ({ place: `${file}:${index + 1}`, line })));

const find = (pattern: RegExp): string[] =>
  texts.filter(({ line }) => pattern.test(line)).map(({ place, line }) => `${place}: ${line.trim().slice(0, 100)}`);
const quote = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('the files of the repository', () => {
  test('are found', () => {
    expect(files).toContain('package.json');
  });

  test('name no path of one machine', () => {
    expect(find(new RegExp(`${quote(root)}(/|\\b)`))).toEqual([]);
    expect(find(/(^|[^\w.~}-])\/(root|work|Users\/\w+)\/\w/)).toEqual([]);
  });

  test('name no package registry: whoever installs has one of their own', () => {
    expect(find(/https?:\/\/[\w.-]*(registry|mirror|artifact|proxy\.golang|pypi|pythonhosted)[\w.-]*\//i)).toEqual([]);
  });

  test('hold no secret', () => {
    expect(find(/\b(sk-[\w-]{20,}|ghp_\w{30,}|AKIA[0-9A-Z]{16})\b|-----BEGIN [A-Z ]*PRIVATE KEY/)).toEqual([]);
  });

  test('hold no note of unfinished work', () => {
    expect(find(new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`))).toEqual([]);
  });
});
