import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseExpected } from './expected.ts';
import { importCases } from './import-cases.ts';

const sample = (name: string): Buffer => readFileSync(new URL(`../../benchmarks/samples/${name}`, import.meta.url));

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

async function* once(content: string | Uint8Array) {
  yield typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

const read = (content: string | Uint8Array, prompt?: string) =>
  collect(importCases({ source: once(content), file: 'tests.csv', format: 'csv', ...(prompt === undefined ? {} : { prompt }) }));

const refusal = (content: string, prompt?: string): Promise<string> =>
  read(content, prompt).then(
    () => 'was read',
    (error: Error) => error.message,
  );

describe('promptfoo-style CSV', () => {
  test('fills the template from the variable columns and keeps assertions and metadata', async () => {
    const found = await read(sample('promptfoo.csv'), sample('promptfoo-prompt.txt').toString().trim());
    expect(found[0]?.case).toEqual({
      input: [{ role: 'user', content: 'Convert 5 km to miles.' }],
      assertions: [
        { type: 'contains', values: ['3.1'] },
        { type: 'icontains', values: ['sorry'], negate: true },
      ],
      metadata: { category: 'length', 'var:amount': '5', 'var:from': 'km', 'var:to': 'miles' },
    });
    expect(found[2]?.case.assertions).toEqual([
      { type: 'contains-any', values: ['150', '2.5 h'] },
      { type: 'levenshtein', values: ['150'], threshold: 3 },
    ]);
  });

  test('takes the only variable column for the prompt, with prefix and suffix around it', async () => {
    const [found] = await read('q,__expected,__prefix,__suffix,__description,__metadata:tags[]\nwhy,x,Say ,?,a note,"a, b"\n');
    expect(found?.case.input).toEqual([{ role: 'user', content: 'Say why?' }]);
    expect(found?.case.metadata).toMatchObject({ description: 'a note', tags: ['a', 'b'] });
  });

  test('reads numbered expectations and passes over empty ones', async () => {
    const [found] = await read('q,__expected1,__expected2,__expected12\nwhy,a,,contains:b\n');
    expect(found?.case.assertions.map(({ type }) => type)).toEqual(['equals', 'contains']);
  });

  test.each([
    ['a,b\n1,2\n', undefined, 'field "--prompt": expected a prompt template'],
    ['a,b\n1,2\n', '{{a}} {{c}}', 'tests.csv:2: field "c": expected a column for the place {{c}}'],
    ['a\n1\n', '{{a | upper}}', 'only {{column}} places in the prompt template, found {{a | upper}}'],
    ['a\n1\n', '{% if a %}x{% endif %}{{a}}', 'found {% if a %}'],
    ['a,__provider\n1,x\n', undefined, 'field "__provider"'],
    ['a,__expected\n1,contains:\n', undefined, 'field "__expected": expected a value for contains'],
    ['a,__expected\n1,regex:(\n', undefined, 'a regular expression'],
    ['a,__expected\n1,"is-json:{""type"":""object""}"\n', undefined, 'JSON schemas are not supported'],
    ['a,__expected\n1,contains(3):x\n', undefined, 'contains without a threshold'],
    ['a,__expected\n1,javascript:output.length > 3\n', undefined, 'found "javascript"'],
    ['a,__expected3\n"x\ny",similar(0.8):y\n', undefined, 'tests.csv:2: field "__expected3": expected a known assertion prefix'],
  ])('refuses %j under the template %j', async (content, prompt, message) => {
    expect(await refusal(content, prompt)).toContain(message);
  });
});

describe('an expected cell', () => {
  test.each([
    ['Paris', { type: 'equals', values: ['Paris'] }],
    ['equals:Paris', { type: 'equals', values: ['Paris'] }],
    ['not-equals: Paris', { type: 'equals', values: ['Paris'], negate: true }],
    ['contains:a:b', { type: 'contains', values: ['a:b'] }],
    ['icontains:Hi', { type: 'icontains', values: ['Hi'] }],
    ['contains-any:a, b,c', { type: 'contains-any', values: ['a', 'b', 'c'] }],
    ['contains-all:"x, y",z', { type: 'contains-all', values: ['x, y', 'z'] }],
    ['contains-any:"never closed, z', { type: 'contains-any', values: ['"never closed', 'z'] }],
    ['starts-with:No', { type: 'starts-with', values: ['No'] }],
    ['regex:^\\d+$', { type: 'regex', values: ['^\\d+$'] }],
    ['is-json', { type: 'is-json', values: [] }],
    ['not-is-json', { type: 'is-json', values: [], negate: true }],
    ['levenshtein(5):Hello', { type: 'levenshtein', values: ['Hello'], threshold: 5 }],
    ['not-levenshtein(2):x', { type: 'levenshtein', values: ['x'], threshold: 2, negate: true }],
    ['llm-rubric(0.8):is polite', { type: 'llm-rubric', values: ['is polite'], threshold: 0.8 }],
    ['12:30', { type: 'equals', values: ['12:30'] }],
    ['Answer: 42', { type: 'equals', values: ['Answer: 42'] }],
    ['contains', { type: 'equals', values: ['contains'] }],
    ['equals:contains-json', { type: 'equals', values: ['contains-json'] }],
  ])('%j means %j', (cell, assertion) => {
    expect(parseExpected(cell)).toEqual({ ok: true, assertion });
  });

  test.each([
    ['python:len(output)', 'python'],
    ['not-contains-json:x', 'not-contains-json'],
    ['contain:x', 'contain'],
    ['Contains:x', 'Contains'],
    ['contains :x', 'contains'],
    ['levenshtein(a):x', 'levenshtein(a)'],
    ['contains-json', 'contains-json'],
    ['is-xml', 'is-xml'],
    ['cost(0.01)', 'cost(0.01)'],
    ['https://example.org', 'https'],
  ])('%j is refused by the name %j', (cell, prefix) => {
    expect(parseExpected(cell)).toEqual({ ok: false, prefix });
  });
});
