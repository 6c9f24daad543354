import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';
import { EXAMPLE, filesOf } from './example.ts';
import { POINTS, compareParts } from './leftovers.ts';
import { listParts } from './parts.ts';

const [contract = '', activities = '', workflow = '', tests = ''] = filesOf(EXAMPLE).map((file) => readFileSync(join(REPOSITORY_ROOT, file), 'utf8'));
const namesOf = (example: string, copy: string): string[] => compareParts(example, copy).map(({ name }) => name);

describe('a fresh copy', () => {
  test('has every point of the checklist left', () => {
    const names = [contract, activities].flatMap((text) => namesOf(text, text)).filter((name) => !name.startsWith('comment of '));
    expect(names.toSorted()).toEqual(Object.keys(POINTS).toSorted());
  });

  test('has every comment and every test left', () => {
    expect([contract, activities, workflow].flatMap((text) => namesOf(text, text)).filter((name) => name.startsWith('comment of '))).toHaveLength(3);
    expect(namesOf(tests, tests).length).toBe(tests.match(/^test\(/gm)?.length);
  });

  test('has only the parts beside that which the new name makes right', () => {
    const settled = [contract, activities].flatMap((text) => listParts(text).map(({ name }) => name)).filter((name) => !(name in POINTS));
    expect(settled.filter((name) => !name.startsWith('comment of '))).toEqual(['type', 'entity', 'scopeField']);
  });
});

describe('a part is no longer left', () => {
  test('when its code differs', () => {
    expect(namesOf(contract, contract.replace('itemTimeoutMs: 5_000', 'itemTimeoutMs: 9_000'))).not.toContain('plan');
  });

  test('when it is gone', () => {
    expect(namesOf(activities, activities.replace(/^ {6}finalize:.*\n/m, ''))).not.toContain('finalize');
  });

  test('when a comment above says why it stays', () => {
    const copy = contract.replace('  limits:', '  // Nothing outside is called.\n  limits:');
    expect(namesOf(contract, contract)).toContain('limits');
    expect(namesOf(contract, copy)).not.toContain('limits');
  });

  test('but it is while only its layout differs', () => {
    const copy = contract.replace(
      "texts: { noun: 'numbers', verb: 'square', verbPast: 'squared' }",
      "texts: {\n    noun: 'numbers',\n    verb: 'square',\n    verbPast: 'squared',\n  }",
    );
    expect(copy).not.toBe(contract);
    expect(namesOf(contract, copy)).toContain('texts');
  });
});

test('the line of a part is where its code begins', () => {
  const part = listParts(contract).find(({ name }) => name === 'limits');
  expect(contract.split('\n')[(part?.line ?? 0) - 1]).toMatch(/^ {2}limits:/);
});
