import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { runTemporal, writeScratch } from './cli.ts';
import { countRows, countRuns, seedSet } from './ledger.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await createRig();
});

afterAll(() => rig.close());

interface Ended {
  readonly status: string;
  readonly result?: Record<string, unknown>;
  readonly failure?: { readonly message: string; readonly applicationFailureInfo: { readonly type: string; readonly details?: unknown } };
}

const start = (id: string, words: readonly string[], queue = rig.taskQueue) =>
  runTemporal(rig, ['workflow', 'start', '--fail-existing', '--task-timeout', '3s', '--task-queue', queue, '--workflow-id', id, ...words]);

const onRun = (verb: readonly string[], id: string, words: readonly string[] = []) =>
  runTemporal(rig, ['workflow', ...verb, '--workflow-id', id, ...words]);

/** Waits as `temporal workflow result` does and answers how the run closed. */
const ending = async (id: string): Promise<Ended> => {
  const { stdout } = await onRun(['result'], id, ['-o', 'json']);
  const { status, result, closeEvent } = JSON.parse(stdout) as {
    status: string;
    result?: Record<string, unknown>;
    closeEvent: { workflowExecutionFailedEventAttributes?: { failure: Ended['failure'] } };
  };
  const failure = closeEvent.workflowExecutionFailedEventAttributes?.failure;
  return { status, ...(result && { result }), ...(failure && { failure }) };
};

const query = async (id: string): Promise<Record<string, unknown>> => {
  const { stdout } = await onRun(['query'], id, ['--name', 'progress', '-o', 'json']);
  const { queryResult } = JSON.parse(stdout) as { queryResult: unknown };
  return (Array.isArray(queryResult) ? queryResult[0] : queryResult) as Record<string, unknown>;
};

const until = (what: string, probe: () => Promise<boolean>): Promise<void> => waitUntil({ what, timeoutMs: 40_000, everyMs: 300, probe });

describe('a run by the temporal CLI alone', () => {
  test('starts, answers the progress query, is listed by StrataPipeline and ends with the same result as by strata', async () => {
    await seedSet(rig, 'plain', { items: 21 });
    const started = await start('probe/plain', ['--type', 'probe', '--input', '{"set":"plain"}']);
    expect(started.code, started.stderr).toBe(0);
    expect(await ending('probe/plain')).toMatchObject({
      status: 'COMPLETED',
      result: { outcome: 'completed', message: 'Processed 21 items', pages: 1, chunks: 2, succeeded: 21 },
    });
    expect(await query('probe/plain')).toMatchObject({ workflowId: 'probe/plain', state: 'completed', toProcess: 21, succeeded: 21, remaining: 0 });
    await until('the run in the list', async () => {
      const { stdout } = await runTemporal(rig, [
        'workflow',
        'list',
        '--query',
        `StrataPipeline="probe" and TaskQueue="${rig.taskQueue}"`,
        '-o',
        'json',
      ]);
      return stdout.includes('"probe/plain"');
    });
  });

  test('is paused and resumed by signals, and a second start on its id is exit 1 with --fail-existing', async () => {
    await seedSet(rig, 'signals', { items: 12, sleepMs: 1_500 });
    await start('probe/signals', ['--type', 'probe', '--input', '{"set":"signals","maxConcurrency":2}']);
    await until('the run counted', async () => (await query('probe/signals'))['toProcess'] === 12);
    const again = await start('probe/signals', ['--type', 'probe', '--input', '{"set":"signals","maxItems":1}']);
    expect(again.code, 'B8').toBe(1);
    expect((await onRun(['signal'], 'probe/signals', ['--name', 'pause', '--input', '{"reason":"lunch"}'])).code).toBe(0);
    await until('paused', async () => (await query('probe/signals'))['state'] === 'paused');
    await onRun(['signal'], 'probe/signals', ['--name', 'resume']);
    expect(await ending('probe/signals')).toMatchObject({ status: 'COMPLETED', result: { outcome: 'completed', succeeded: 12 } });
    expect(await countRuns(rig, 'signals')).toBe(1);
  });

  test('is aborted by a signal with a reason', async () => {
    await seedSet(rig, 'abort', { items: 30, sleepMs: 600_000 });
    await start('probe/abort', ['--type', 'probe', '--input', '{"set":"abort"}']);
    await until('the run counted', async () => (await query('probe/abort'))['toProcess'] === 30);
    await onRun(['signal'], 'probe/abort', ['--name', 'abort', '--input', '{"reason":"enough"}']);
    expect(await ending('probe/abort')).toMatchObject({
      status: 'COMPLETED',
      result: { outcome: 'aborted', cancelled: true, succeeded: 0, failed: 0, remaining: 30 },
    });
  });

  test('answers the controls as updates, and refuses a control with other input than a reason', async () => {
    await seedSet(rig, 'updates', { items: 30, sleepMs: 600_000 });
    await start('probe/updates', ['--type', 'probe', '--input', '{"set":"updates"}']);
    const update = async (name: string, words: readonly string[] = []) =>
      runTemporal(rig, ['workflow', 'update', 'execute', '--workflow-id', 'probe/updates', '--name', name, ...words, '-o', 'json']);
    const answerOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { result: unknown }).result;
    expect(answerOf(await update('pause', ['--input', '{"reason":"lunch"}']))).toEqual({ accepted: true, state: 'paused' });
    const refused = await update('resume', ['--input', '{"raeson":"typo"}']);
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toContain('expected {"reason": "text"} or nothing');
    expect(answerOf(await update('resume'))).toEqual({ accepted: true, state: 'running' });
    expect(answerOf(await update('abort'))).toEqual({ accepted: true, state: 'aborting' });
    expect(await ending('probe/updates')).toMatchObject({ status: 'COMPLETED', result: { outcome: 'aborted' } });
  });

  test('E7: under another id while the scope is active it ends Failed AlreadyRunning, naming the active run', async () => {
    await seedSet(rig, 'busy', { items: 5, sleepMs: 600_000 });
    await start('probe/busy', ['--type', 'probe', '--input', '{"set":"busy"}']);
    await until('the run counted', async () => (await query('probe/busy'))['toProcess'] === 5);
    await start('my-own-id', ['--type', 'probe', '--input', '{"set":"busy"}']);
    expect(await ending('my-own-id')).toMatchObject({
      status: 'FAILED',
      failure: { message: 'probe/busy is already running', applicationFailureInfo: { type: 'AlreadyRunning' } },
    });
    expect(await countRuns(rig, 'busy')).toBe(1);
    await onRun(['signal'], 'probe/busy', ['--name', 'abort']);
  });
});

describe('a bad start ends Failed within 10 s, names what was wrong and writes no row', () => {
  const RUN = '{"runId":"r","userId":"u"';
  test.each<[string, string, string[], RegExp]>([
    ['B1 no input', 'agentEvalRun', [], /expected an object/],
    ['B1 null', 'agentEvalRun', ['--input', 'null'], /expected an object/],
    ['B1 an array', 'agentEvalRun', ['--input', '[]'], /expected an object/],
    ['B1 a text', 'agentEvalRun', ['--input', '"x"'], /expected an object/],
    ['B2 an empty object', 'agentEvalRun', ['--input', '{}'], /Missing runId in payload; Missing userId in payload/],
    ['B3 a misspelt key', 'agentEvalRun', ['--input', `${RUN},"dry_run":true}`], /unknown key dry_run, did you mean dryRun\?/],
    ['B3 an unknown key', 'agentEvalRun', ['--input', `${RUN},"parallelism":"four"}`], /unknown key parallelism/],
    ['B4 an empty id', 'agentEvalRun', ['--input', '{"runId":"","userId":"u"}'], /runId: must not be blank/],
    ['B4 a blank id', 'agentEvalRun', ['--input', '{"runId":"   ","userId":"u"}'], /runId: must not be blank/],
    ['B4 two inputs', 'agentEvalRun', ['--input', `${RUN}}`, '--input', `${RUN}}`], /expected exactly one argument, got 2/],
    ['B5 a text for a number', 'agentEvalRun', ['--input', `${RUN},"maxItems":"15"}`], /maxItems: .*expected number/],
    ['B5 maxItems 0', 'agentEvalRun', ['--input', `${RUN},"maxItems":0}`], /maxItems: .*>=1/],
    ['B5 maxItems 1.5', 'agentEvalRun', ['--input', `${RUN},"maxItems":1.5}`], /maxItems: .*int/],
    ['B5 no itemIds', 'agentEvalRun', ['--input', `${RUN},"itemIds":[]}`], /itemIds: /],
    ['B5 itemIds as text', 'agentEvalRun', ['--input', `${RUN},"itemIds":"a"}`], /itemIds: .*expected array/],
    ['B6 an empty threshold', 'agentEvalRun', ['--input', `${RUN},"failureThreshold":{}}`], /failureThreshold: expected \{count/],
    ['B6 both thresholds', 'agentEvalRun', ['--input', `${RUN},"failureThreshold":{"count":1,"share":0.1}}`], /failureThreshold: /],
    [
      'B6 a redrive with force',
      'agentEvalRun',
      ['--input', `${RUN},"redriveOf":"agent-eval-run/x","force":true}`],
      /force: cannot be combined with redriveOf/,
    ],
  ])('%s: InvalidInput', async (name, type, words, reason) => {
    const id = `bad/${name.replaceAll(' ', '-')}`;
    const began = performance.now();
    expect((await start(id, ['--type', type, ...words])).code).toBe(0);
    const { status, failure } = await ending(id);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(status).toBe('FAILED');
    expect(failure?.applicationFailureInfo.type).toBe('InvalidInput');
    expect(failure?.message).toMatch(reason);
  });

  test('B5: 1,001 item ids, and 1,000 ids of 100 bytes', async () => {
    for (const [id, count, length] of [
      ['bad/many', 1_001, 3],
      ['bad/large', 1_000, 100],
    ] as const) {
      const itemIds = Array.from({ length: count }, (_, at) => String(at).padEnd(length, 'x'));
      const file = await writeScratch('input.json', JSON.stringify({ set: 's', itemIds }));
      await start(id, ['--type', 'probe', '--input-file', file]);
      const { status, failure } = await ending(id);
      expect(status).toBe('FAILED');
      expect(failure?.message).toMatch(/itemIds: /);
    }
  });

  test("B4: a file with two documents is the CLI's own exit 1 and starts nothing", async () => {
    const file = await writeScratch('two.json', '{"set":"a"}\n{"set":"b"}\n');
    const { code } = await start('bad/two-documents', ['--type', 'probe', '--input-file', file]);
    expect(code).toBe(1);
    expect((await onRun(['describe'], 'bad/two-documents')).code).toBe(1);
  });

  test('B7: an unknown type is UnknownWorkflowType and lists the known ones', async () => {
    await start('bad/type', ['--type', 'AgentEvalRun', '--input', `${RUN}}`]);
    const { status, failure } = await ending('bad/type');
    expect(status).toBe('FAILED');
    expect(failure?.applicationFailureInfo.type).toBe('UnknownWorkflowType');
    expect(failure?.message).toMatch(/"AgentEvalRun".*agentEvalRun/);
  });

  test('an unknown eval run is PreflightRefused', async () => {
    await start('agent-eval-run/nobody', ['--type', 'agentEvalRun', '--input', '{"runId":"nobody","userId":"u"}']);
    expect(await ending('agent-eval-run/nobody')).toMatchObject({
      status: 'FAILED',
      failure: { message: 'Run not found', applicationFailureInfo: { type: 'PreflightRefused' } },
    });
  });

  test('B1 to B7 left no row and nothing Running', async () => {
    const before = await countRows(rig);
    await start('bad/last', ['--type', 'probe', '--input', '{"set":"bad-last","pageSize":"15"}']);
    expect((await ending('bad/last')).failure?.message).toMatch(/pageSize/);
    expect(await countRows(rig)).toBe(before);
    expect(await countRuns(rig, 'r')).toBe(0);
    await until(
      'no bad start Running',
      async () =>
        (await rig.client.workflow.count(`TaskQueue = '${rig.taskQueue}' and WorkflowId starts_with 'bad/' and ExecutionStatus = 'Running'`))
          .count === 0,
    );
  });
});
