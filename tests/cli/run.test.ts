import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countRuns, seedSet } from './ledger.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { withBriefRetries } from '../../packages/testing/stage.ts';
import { createCli, writeScratch } from './cli.ts';
import type { Cli } from './cli.ts';

let rig: Rig;
let cli: Cli;

beforeAll(async () => {
  rig = await createRig({ activities: withBriefRetries });
  cli = createCli(rig);
});

afterAll(() => rig.close());

const input = (set: string, more: object = {}): string => JSON.stringify({ set, ...more });

describe('strata run', () => {
  test('starts by kebab name, waits and exits 0 with the whole result', async () => {
    await seedSet(rig, 'whole', { items: 25 });
    const { code, answer, documents } = await cli.json('run', 'probe', '--input', input('whole'), '--wait');
    expect(code).toBe(0);
    expect(documents).toHaveLength(1);
    expect(answer).toMatchObject({
      workflowId: 'probe/whole',
      joined: false,
      success: true,
      outcome: 'completed',
      state: 'completed',
      message: 'Processed 25 items',
      totalEligible: 25,
      toProcess: 25,
      alreadyProcessed: 0,
      succeeded: 25,
      failed: 0,
      skipped: 0,
      remaining: 0,
      pages: 1,
      chunks: 2,
      direct: 0,
    });
    expect(answer['runId']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('reads the input from a file, counts only with --dry-run, and writes no row', async () => {
    await seedSet(rig, 'dry', { items: 3 });
    const file = await writeScratch('input.json', `\uFEFF${input('dry')}\n`);
    const { code, answer } = await cli.json('run', 'probe', '--input', `@${file}`, '--dry-run');
    expect(code).toBe(0);
    expect(answer).toMatchObject({
      workflowId: 'probe/dry-dry-run',
      outcome: 'dryRun',
      dryRun: true,
      message: '[DryRun] Would process 3 items',
      remaining: 3,
    });
    expect(await countRuns(rig, 'dry')).toBe(0);
  });

  test('without --wait it answers when the entry has counted, while the run goes on', async () => {
    await seedSet(rig, 'long', { items: 6, sleepMs: 600_000 });
    const { code, answer } = await cli.json('run', 'probe', '--input', input('long'));
    expect(code).toBe(0);
    expect(answer).toMatchObject({ workflowId: 'probe/long', joined: false, state: 'running', totalEligible: 6, toProcess: 6, remaining: 6 });
    expect(answer['outcome']).toBeUndefined();

    const same = await cli.json('run', 'probe', '--input', input('long'));
    expect(same.code, 'E7: the same request joins').toBe(0);
    expect(same.answer).toMatchObject({ workflowId: 'probe/long', runId: answer['runId'], joined: true });

    const other = await cli.json('run', 'probe', '--input', input('long', { maxItems: 2 }));
    expect(other.code, 'E7, B8: another request is refused').toBe(2);
    expect(other.stderr).toMatch(/^strata: probe\/long is already running with another request.*\n$/);
    expect(other.answer).toMatchObject({ exitCode: 2 });
    expect(await countRuns(rig, 'long')).toBe(1);

    const aborted = await cli.json('abort', 'probe/long', '--reason', 'the test is over');
    expect(aborted).toMatchObject({ code: 0, answer: { workflowId: 'probe/long', accepted: true, state: 'aborting' } });
  });

  test('failed items end --wait with exit 1, and failures names each with its reason', async () => {
    await seedSet(rig, 'bad', { items: 12, failEvery: 4 });
    const { code, answer } = await cli.json('run', 'probe', '--input', input('bad', { failureThreshold: { count: 5 } }), '--wait');
    expect(answer).toMatchObject({
      outcome: 'completedWithFailures',
      success: false,
      succeeded: 9,
      failed: 3,
      failedItems: 'strata failures probe/bad',
    });
    expect(code).toBe(1);

    const failures = await cli.json('failures', 'probe/bad');
    expect(failures.code).toBe(0);
    expect(failures.answer).toMatchObject({ workflowId: 'probe/bad', failed: 3 });
    expect((failures.answer['failures'] as { itemId: string }[]).map(({ itemId }) => itemId)).toEqual([
      'item-0000004',
      'item-0000008',
      'item-0000012',
    ]);
    expect(failures.answer['failures']).toMatchObject([{ errorType: 'ProviderUnavailable', error: 'seeded to fail', attempts: 5 }, {}, {}]);

    const limited = await cli.say('failures', 'probe/bad', '--limit', '1');
    expect(limited.stdout).toMatch(/item-0000004 +ProviderUnavailable +5 +seeded to fail\n2 more: see --limit\n$/);
  });

  test('a failure threshold that is exceeded is exit 1 with the type and the counters', async () => {
    await seedSet(rig, 'threshold', { items: 6, failEvery: 1 });
    const { code, answer } = await cli.json('run', 'probe', '--input', input('threshold', { failureThreshold: { count: 0 } }), '--wait');
    expect(code).toBe(1);
    expect(answer).toMatchObject({ state: 'failed', success: false, toProcess: 6, failure: { type: 'FailureThresholdExceeded' } });
    expect(answer['outcome']).toBeUndefined();
    expect(answer['failed']).toBeGreaterThan(0);
  });

  test('--follow shows lines, and with --json one document a line of which the last is the result', async () => {
    await seedSet(rig, 'follow', { items: 60, sleepMs: 1_500 });
    const { code, documents, answer } = await cli.json('run', 'probe', '--input', input('follow', { maxConcurrency: 20 }), '--follow');
    expect(code).toBe(0);
    expect(documents.length).toBeGreaterThan(1);
    for (const document of documents.slice(0, -1)) expect(document).toMatchObject({ workflowId: 'probe/follow', toProcess: 60 });
    expect(answer).toMatchObject({ outcome: 'completed', succeeded: 60, remaining: 0 });

    const { stdout } = await cli.say('run', 'probe', '--input', input('follow', { force: true, maxConcurrency: 20 }), '--follow');
    expect(stdout).toMatch(/^running · \d+\/60 items/m);
    expect(stdout).toMatch(/^message +Processed 60 items$/m);
  });
});

describe('strata run refuses with exit 2 and one line that says what was expected', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown pipeline, naming the nearest', ['run', 'prob', '--input', '{}'], /unknown pipeline "prob": did you mean probe\?/],
    ['B1 null', ['run', 'probe', '--input', 'null'], /--input: expected an object, got null/],
    ['B1 an array', ['run', 'probe', '--input', '[]'], /expected an object, got an array/],
    ['B1 a text', ['run', 'probe', '--input', '"x"'], /expected an object, got a string/],
    ['B1 no input', ['run', 'probe'], /Missing set in payload/],
    [
      'B2 an empty object, naming every missing field',
      ['run', 'agent-eval-run', '--input', '{}'],
      /Missing runId in payload; Missing userId in payload/,
    ],
    [
      'B3 a misspelt control, naming the nearest',
      ['run', 'probe', '--input', '{"set":"s","dry_run":true}'],
      /unknown key dry_run, did you mean dryRun\?/,
    ],
    ['B3 an unknown key', ['run', 'agentEvalRun', '--input', '{"runId":"r","userId":"u","parallelism":"four"}'], /unknown key parallelism/],
    ['a text for a number', ['run', 'probe', '--input', '{"set":"s","pageSize":"15"}'], /pageSize: .*expected number/],
    ['B4 a blank id', ['run', 'probe', '--input', '{"set":"   "}'], /set: must not be blank/],
    ['B4 two inputs', ['run', 'probe', '--input', '{"set":"a"}', '--input', '{"set":"b"}'], /expected exactly one argument, got 2/],
    ['two documents', ['run', 'probe', '--input', '{"set":"a"}\n{"set":"b"}'], /expected exactly one argument, got 2 JSON documents/],
    ['what is not JSON', ['run', 'probe', '--input', 'set=a'], /--input is not JSON .*: expected one JSON object or @file/],
    ['a file that is not there', ['run', 'probe', '--input', '@/nowhere.json'], /the file \/nowhere.json cannot be read \(ENOENT\)/],
    [
      'a control against the input',
      ['run', 'probe', '--input', '{"set":"a","dryRun":false}', '--dry-run'],
      /--dry-run contradicts the input, which says dryRun: false/,
    ],
    ['a redrive with force', ['run', 'probe', '--input', '{"set":"a","redriveOf":"probe/a"}', '--force'], /force: cannot be combined with redriveOf/],
  ])('%s', async (_name, words, reason) => {
    const { code, stderr, stdout } = await cli.say(...words);
    expect(stderr).toMatch(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('R3: a redrive of an unknown run is exit 3, and a start that says so PreflightRefused with exit 2', async () => {
    expect((await cli.json('redrive', 'probe/nobody')).code).toBe(3);
    const { code, stderr } = await cli.json('run', 'probe', '--input', input('s', { redriveOf: 'probe/nobody' }));
    expect(stderr).toContain('Run not found: probe/nobody');
    expect(code).toBe(2);
  });

  test('a server that is not there is exit 3', async () => {
    const { code, stderr } = await createCli(rig, { TEMPORAL_ADDRESS: '127.0.0.1:1' }).say('list');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('127.0.0.1:1');
    expect(code).toBe(3);
    const database = await createCli(rig, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }).say('failures', 'probe/x');
    expect(database.code).toBe(3);
  });
});
