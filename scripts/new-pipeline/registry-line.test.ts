import { expect, test } from 'vitest';
import { addRegistryLine } from './registry-line.ts';

const line = (name: string, entity: string): string => `export { ${name} } from './${entity}.ts';`;
const registry = ["import { x } from './x.ts';", '', line('probe', 'probe'), line('squareNumber', 'square-number'), '', 'export default x;', ''].join(
  '\n',
);
const linesAfter = (entity: string) => addRegistryLine('workflows/index.ts', registry, entity).text.split('\n').slice(2, -3);

test.each([
  ['before all', 'invoice-match', ['invoiceMatch', 'probe', 'squareNumber']],
  ['between', 'redrive', ['probe', 'redrive', 'squareNumber']],
  ['behind all', 'thumbnail', ['probe', 'squareNumber', 'thumbnail']],
])('a line comes %s where its name belongs', (_place, entity, names) => {
  expect(linesAfter(entity).map((text) => text.split(' ')[2])).toEqual(names);
});

test('the rest of the file stays as it is, and the answer says where the line went', () => {
  const { text, line: at, added } = addRegistryLine('workflows/index.ts', registry, 'redrive');
  expect(added).toBe(line('redrive', 'redrive'));
  expect(text.split('\n')[at - 1]).toBe(added);
  expect(
    text
      .split('\n')
      .toSpliced(at - 1, 1)
      .join('\n'),
  ).toBe(registry);
});

test('a name that is registered, and a registry without the example, are refused', () => {
  expect(() => addRegistryLine('workflows/index.ts', registry, 'probe')).toThrow('probe is registered in workflows/index.ts already');
  expect(() => addRegistryLine('workflows/index.ts', line('probe', 'probe'), 'redrive')).toThrow('has no line of square-number');
});
