import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importCases } from './import-cases.ts';
import type { CaseAtLine, Dataset } from './import-cases.ts';
import { isImportError } from './import-error.ts';
import { parseColumnMap } from './mapping.ts';

type Options = Omit<Dataset, 'source' | 'file' | 'format'> & { readonly chunk?: number };

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function read(format: 'jsonl' | 'csv', content: string | Uint8Array, { chunk = 7, ...options }: Options = {}): Promise<CaseAtLine[]> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return collect(importCases({ source: inChunks(bytes, chunk), file: `data.${format}`, format, ...options }));
}

async function refusal(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => new Error('was read'),
    (caught: unknown) => caught,
  );
  if (!isImportError(error)) throw error;
  return error.message;
}

function mapOf(text: string) {
  const parsed = parseColumnMap(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.map;
}

const qa = { map: mapOf('input=question,expected=answer') };
const sample = (name: string): Buffer => readFileSync(new URL(`../../benchmarks/samples/${name}`, import.meta.url));

describe('the OpenAI-evals shape', () => {
  test('has messages and an ideal answer, or several of which any counts; other keys become metadata', async () => {
    const found = await read('jsonl', sample('openai-evals.jsonl'));
    expect(found.map(({ line }) => line)).toEqual([1, 2, 3]);
    expect(found[0]?.case.input.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(found[1]?.case.assertions).toEqual([{ type: 'equals', values: ['Yes', 'yes', 'Yes.'] }]);
    expect(found[2]?.case).toMatchObject({ input: [{ role: 'user', content: 'What is 12 * 12?' }], metadata: { topic: 'arithmetic' } });
  });

  test.each([
    ['{"ideal":"x"}', 'data.jsonl:1: field "input": expected a list of messages'],
    ['{"input":[{"role":"robot","content":"x"}],"ideal":"x"}', 'data.jsonl:1: field "input[0]": expected a message'],
    ['{"input":"q"}', 'data.jsonl:1: field "ideal": expected a text or a list of texts'],
    ['{"input":"q","ideal":[]}', 'field "ideal": expected a text or a list'],
    ['{"input":"q","ideal":" "}', 'field "ideal": expected a value that is not blank'],
    ['{"input":"q","ideal":{"a":1}}', 'field "ideal": expected a text or a list'],
    ['{"input":"q","ideal":"x","id":{}}', 'field "id": expected a text or number'],
    ['\n\n[1]', 'data.jsonl:3: expected one JSON object per line'],
    ['{"input":"q","ideal":"x"}\n{"input"', 'data.jsonl:2: expected one JSON object per line'],
    ['', 'data.jsonl:1: expected at least one case'],
    ['{"input":"q\\u0000","ideal":"x"}', 'data.jsonl:1: expected text without NUL'],
    ['{"input":"q\\ud800","ideal":"x"}', 'data.jsonl:1: expected text without NUL'],
  ])('refuses %j with line, field and what was expected', async (content, message) => {
    expect(await refusal(read('jsonl', content))).toContain(message);
  });

  test('takes a backslash before u0000 for what it is', async () => {
    const [found] = await read('jsonl', String.raw`{"input":"a \\u0000 b","ideal":"x"}`);
    expect(found?.case.input[0]?.content).toBe(String.raw`a \u0000 b`);
  });

  test('may carry own assertions, each checked', async () => {
    const found = await read('jsonl', sample('strata.jsonl'));
    expect(found.map((one) => one.case.id)).toEqual(['rounding', 'person', 'title']);
    const bad = (assertion: string) => refusal(read('jsonl', `{"input":"q","assertions":[${assertion}]}`));
    expect(await bad('{"type":"equal","values":["x"]}')).toContain('field "assertions.0.type"');
    expect(await bad('{"type":"regex","values":["("]}')).toContain('a regular expression of RE2 syntax');
    expect(await bad('{"type":"regex","values":["(a)\\\\1"]}')).toContain('RE2');
    expect(await bad('{"type":"numeric","values":["twelve"]}')).toContain('expected a number');
    expect(await bad('{"type":"json-equals","values":["{"]}')).toContain('expected JSON text');
    expect(await bad('{"type":"similarity","values":["x"],"threshold":5}')).toContain('a threshold from 0 to 1');
    expect(await bad('{"type":"equals","values":["x"],"threshold":1}')).toContain('equals without a threshold');
  });
});

describe('question/answer pairs', () => {
  test('are read by a column map from JSON Lines, with the scorer that was asked for', async () => {
    const numeric = read('jsonl', sample('question-answer.jsonl'), { ...qa, scorer: { type: 'numeric', threshold: 0.5 } });
    expect(await refusal(numeric)).toContain('data.jsonl:3: field "answer": expected a number');
    const texts = await read('jsonl', sample('question-answer.jsonl'), { map: mapOf('input=question,expected=answer,category=topic') });
    expect(texts[0]?.case).toEqual({
      input: [{ role: 'user', content: 'How many inches are in 3 feet?' }],
      assertions: [{ type: 'equals', values: ['36'] }],
      metadata: { category: 'units' },
    });
  });

  test('are read from CSV with byte order mark, CRLF and newlines inside quotes, and know their lines', async () => {
    const found = await read('csv', sample('question-answer.csv'), qa);
    expect(found.map(({ line }) => line)).toEqual([2, 3, 5]);
    expect(found[1]?.case.input[0]?.content).toBe('Extract the email address from this text: Write to\r\n"Jane" <jane@example.org>, please.');
    expect(found[1]?.case.metadata).toEqual({ topic: 'extraction' });
  });

  test('know their lines behind blank lines and quoted line ends of each kind', async () => {
    const found = await read('csv', 'question,answer\r\n\r\n"a\r\n\r\nb","1\n2"\r\n\r\nc,3\r\n"d\n",4\r\ne,5\r\n', qa);
    expect(found.map(({ line }) => line)).toEqual([3, 8, 9, 11]);
  });

  test('name the missing or blank column', async () => {
    expect(await refusal(read('csv', 'q,answer\nx,y\n', qa))).toContain('data.csv:2: field "question": expected a text that is not blank');
    expect(await refusal(read('csv', 'question,a\nx,y\n', qa))).toContain('data.csv:2: field "answer"');
    expect(await refusal(read('csv', 'question,answer\nx,y\n"a\nb",\n', qa))).toContain(
      'data.csv:3: field "answer": expected a value that is not blank',
    );
  });

  test('read nested keys by a dotted path', async () => {
    const map = mapOf('input=q.text,expected=a.0,id=n');
    const [found] = await read('jsonl', '{"q":{"text":"x"},"a":["y"],"n":7}', { map });
    expect(found?.case).toMatchObject({ id: '7', input: [{ content: 'x' }], assertions: [{ values: ['y'] }] });
  });

  test.each(['input=q', 'expected=a', 'input=q,expected=a,output=b', 'input=,expected=a', 'input=a,input=b,expected=c', ''])(
    'refuse the map %j',
    (text) => {
      expect(parseColumnMap(text)).toHaveProperty('problem');
    },
  );
});

describe('any file', () => {
  test('is told to be UTF-8 with the line where it stops being so', async () => {
    const bytes = Buffer.concat([Buffer.from('{"input":"q","ideal":"x"}\n{"input":"'), Buffer.from([0xff, 0xfe])]);
    expect(await refusal(read('jsonl', bytes))).toContain('expected UTF-8 text');
    expect(await refusal(read('csv', Buffer.from([0xff, 0xfe, 0x61, 0]), qa))).toContain('data.csv:1: expected UTF-8 text');
  });

  test.each([
    ['a,b\n1,2,3\n', 'data.csv:2:'],
    ['a,b\n1,"2\n', 'well-formed CSV'],
    ['a,a\n1,2\n', 'data.csv:1: field "a": expected each column name once'],
    ['a,\n1,2\n', 'data.csv:1: field "column 2": expected a column name'],
  ])('of CSV %j is refused with its place', async (content, message) => {
    expect(await refusal(read('csv', content, qa))).toContain(message);
  });

  test('comes out the same whatever the size of the chunks it arrives in', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '' && !value.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 9 }), async (pairs, chunk) => {
        const quote = (value: string): string => `"${value.replaceAll('"', '""')}"`;
        const csv = `question,answer\r\n${pairs.map((pair) => pair.map(quote).join(',')).join('\r\n')}`;
        const json = pairs.map(([question, answer]) => JSON.stringify({ question, answer })).join('\n');
        for (const found of [await read('csv', csv, { ...qa, chunk }), await read('jsonl', json, { ...qa, chunk })]) {
          expect(found.map((one) => [one.case.input[0]?.content, one.case.assertions[0]?.values[0]])).toEqual(pairs);
        }
      }),
    );
  });
});
