import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pipelineContracts } from '../../packages/contracts/index.ts';
import { EXAMPLE, REGISTRIES, filesOf } from '../../scripts/new-pipeline/example.ts';
import { POINTS, findLeftovers } from '../../scripts/new-pipeline/leftovers.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/new-pipeline.md'), 'utf8');

describe.each(pipelineContracts.filter(({ entity }) => entity !== EXAMPLE))('the pipeline $entity', ({ entity }) => {
  test('has nothing left of the example that it was copied from', () => {
    const left = findLeftovers(root, entity).map(({ file, line, part, decide }) => `${file}:${line} ${part}: decide ${decide}`);
    expect(left).toEqual([]);
  });
});

describe('the guide to a new pipeline', () => {
  test('names each file that is made and each registry', () => {
    expect([...filesOf('invoice-match'), ...REGISTRIES].filter((file) => !guide.includes(`\`${file}\``))).toEqual([]);
  });

  test('names each part that the author decides', () => {
    expect(Object.keys(POINTS).filter((part) => !guide.includes(`\`${part}\``))).toEqual([]);
  });
});
