import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defineCommand } from 'citty';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { cloneDatabase, dropDatabase } from '../../packages/testing/databases.ts';
import { runStrata } from '../../packages/testing/strata-process.ts';
import { runCli } from '../../scripts/cli/run-cli.ts';
import { commands } from '../../scripts/commands/index.ts';

const name = `cli_${randomBytes(5).toString('hex')}`;
const samples = new URL('../../benchmarks/samples/', import.meta.url).pathname;
let folder: string;
let databaseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-eval-'));
  databaseUrl = await cloneDatabase(inject('strata'), name);
});

afterAll(async () => {
  await dropDatabase(inject('strata'), name);
  await rm(folder, { recursive: true });
});

const root = defineCommand({ meta: { name: 'strata' }, subCommands: { ...commands } });

/** The command line in this process, where a dozen calls take no longer than one process needs to start. */
async function strata(words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', ''];
  vi.stubEnv('DATABASE_URL', databaseUrl);
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
  try {
    const code = await runCli(root, words);
    return { code, stdout, stderr };
  } finally {
    out.mockRestore();
    err.mockRestore();
    vi.unstubAllEnvs();
  }
}

async function answer(words: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await strata([...words, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function refusal(words: readonly string[]): Promise<{ code: number; line: string }> {
  const { code, stderr } = await strata(words);
  return { code, line: stderr };
}

describe('strata eval import', () => {
  test.each([
    ['openai', ['openai-evals.jsonl'], 3],
    ['pairs', ['question-answer.jsonl', '--map', 'input=question,expected=answer'], 3],
    ['pairs-csv', ['question-answer.csv', '--map', 'input=question,expected=answer,category=topic', '--scorer', 'includes'], 3],
    ['promptfoo', ['promptfoo.csv', '--prompt', `@${samples}promptfoo-prompt.txt`], 4],
    ['own', ['strata.jsonl'], 3],
  ])('reads the shape %s', async (benchmark, [file = '', ...options], imported) => {
    expect(await answer(['eval', 'import', join(samples, file), '--benchmark', benchmark, ...options])).toEqual({
      benchmark,
      imported,
      total: imported,
    });
  });

  test('refuses with file, line, field and what was expected, exit code 2, and imports nothing', async () => {
    const file = join(folder, 'bad.csv');
    await writeFile(file, 'q,__expected\none,a\ntwo,javascript:true\n');
    const { code, line } = await refusal(['eval', 'import', file, '--benchmark', 'bad']);
    expect(code).toBe(2);
    expect(line).toMatch(/^strata: bad\.csv:3: field "__expected": expected a known assertion prefix .*found "javascript".*nothing was imported\n$/);
    expect(JSON.stringify(await answer(['eval', 'list']))).not.toContain('"bad"');
  });

  test('refuses a name that is there, and takes --append and --replace', async () => {
    const file = join(folder, 'ids.jsonl');
    await writeFile(file, '{"id":"a","input":"q","ideal":"x"}\n{"id":"b","input":"q","ideal":"x"}\n');
    const words = ['eval', 'import', file, '--benchmark', 'ids'];
    expect(await answer(words)).toMatchObject({ total: 2 });
    expect(await refusal(words)).toMatchObject({ code: 2, line: expect.stringContaining('--append') });
    expect(await refusal([...words, '--append'])).toMatchObject({ code: 2, line: expect.stringContaining('ids.jsonl:1: field "id"') });
    expect(await answer([...words, '--replace'])).toMatchObject({ imported: 2, total: 2 });
    await answer(['eval', 'run', 'ids', '--create', '--id', 'ids-run']);
    expect(await refusal([...words, '--replace'])).toMatchObject({ code: 2, line: expect.stringContaining('has 1 runs') });
  });

  test.each([
    [['missing.jsonl', '--benchmark', 'x'], 2, 'cannot be read'],
    [[join(samples, 'promptfoo-prompt.txt'), '--benchmark', 'x'], 2, '--format jsonl or --format csv'],
    [[join(samples, 'strata.jsonl'), '--benchmark', ' '], 2, 'must not be blank'],
    [[join(samples, 'strata.jsonl'), '--benchmark', 'nobody', '--append'], 3, 'no benchmark nobody'],
    [[join(samples, 'question-answer.jsonl'), '--benchmark', 'x', '--map', 'input=question'], 2, 'expected=<column> is missing'],
    [[join(samples, 'openai-evals.jsonl'), '--benchmark', 'x', '--scorer', 'magic'], 2, '--scorer must be one of'],
  ])('refuses %j', async (words, code, line) => {
    expect(await refusal(['eval', 'import', ...words])).toMatchObject({ code, line: expect.stringContaining(line) });
  });

  test('reads 100,000 lines in constant memory: a heap that could not hold them is enough', async () => {
    const file = join(folder, 'large.jsonl');
    const filler = 'lorem ipsum '.repeat(60);
    const lines = function* () {
      for (let n = 1; n <= 100_000; n++) yield `${JSON.stringify({ id: `n-${n}`, input: `What is ${n} + ${n}? ${filler}`, ideal: String(2 * n) })}\n`;
    };
    await pipeline(Readable.from(lines()), createWriteStream(file));
    const words = ['eval', 'import', file, '--benchmark', 'large', '--json'];
    const { code, stdout, stderr } = await runStrata(words, { DATABASE_URL: databaseUrl, NODE_OPTIONS: '--max-old-space-size=112' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ benchmark: 'large', imported: 100_000, total: 100_000 });
  }, 300_000);
});

describe('strata eval run', () => {
  test.each([
    [['nobody'], 3, 'no benchmark nobody'],
    [['promptfoo', '--target', 'gpt-9'], 2, 'give a bundled name (bundled), a .ts file'],
    [['promptfoo', '--target', './nowhere.ts'], 2, 'no such file'],
    [['promptfoo', '--target', '{"kind":"openai","model":"m"}'], 2, 'baseUrl'],
    [['promptfoo', '--config', '{"k":0}'], 2, '--config: k'],
    [['promptfoo', '--config', '{"K":1}'], 2, 'K'],
  ])('refuses %j', async (words, code, line) => {
    expect(await refusal(['eval', 'run', ...words, '--create'])).toMatchObject({ code, line: expect.stringContaining(line) });
  });

  test('refuses rubrics without a judge, and an id that is taken', async () => {
    const file = join(folder, 'rubric.csv');
    await writeFile(file, 'q,__expected\nhow,llm-rubric:is polite\n');
    await answer(['eval', 'import', file, '--benchmark', 'rubric']);
    expect(await refusal(['eval', 'run', 'rubric', '--create'])).toMatchObject({ code: 2, line: expect.stringContaining('need a judge') });
    await answer(['eval', 'import', join(samples, 'strata.jsonl'), '--benchmark', 'twice']);
    expect(await answer(['eval', 'run', 'twice', '--create', '--id', 't1'])).toEqual({ evalRun: 't1', cases: 3 });
    expect(await refusal(['eval', 'run', 'twice', '--create', '--id', 't1'])).toMatchObject({ code: 2, line: expect.stringContaining('t1 already') });
  });
});

describe('strata eval report', () => {
  test('shows a run that has not begun, as text, as JSON and as a page', async () => {
    await answer(['eval', 'import', join(samples, 'strata.jsonl'), '--benchmark', 'shown']);
    await answer(['eval', 'run', 'shown', '--create', '--id', 'shown-1']);
    const page = join(folder, 'report.html');
    const report = await answer(['eval', 'report', 'agent-eval-run/shown-1', '--html', page]);
    expect(report).toMatchObject({
      run: { id: 'shown-1', status: 'idle', target: 'module bundled' },
      summary: { total: 3, ended: 0, counts: { pending: 3 } },
      html: page,
    });
    expect(await readFile(page, 'utf8')).toContain('<title>shown: 0 % passed</title>');
    const { stdout } = await strata(['eval', 'report', 'shown-1']);
    expect(stdout).toContain('0 % of 3 passed');
  });

  test('of an unknown run is exit code 3', async () => {
    expect(await refusal(['eval', 'report', 'nobody'])).toMatchObject({ code: 3, line: expect.stringContaining('no evaluation run nobody') });
  });
});
