import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAgentEvalRunActivities } from '../../activities/agent-eval-run.ts';
import { agentEvalRunContract } from '../../packages/contracts/agent-eval-run.ts';
import type { ImportedCase } from '../../packages/contracts/eval-case.ts';
import type { EvalRunConfig, TargetConfig } from '../../packages/contracts/eval-run.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import type { StartInput } from '../../packages/contracts/fields.ts';
import { readRow } from '../../packages/database/database.ts';
import { importBenchmark } from '../../packages/database/eval-benchmarks.ts';
import { reopenCase } from '../../packages/database/eval-retry.ts';
import { createEvalRun, findEvalRun } from '../../packages/database/eval-runs.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { startTargetServer } from '../support/target-server.ts';
import type { TargetServer } from '../support/target-server.ts';
import { readLedgerStates } from './ledger.ts';

const contract = agentEvalRunContract as unknown as PipelineContract;
const quick = { ...agentEvalRunContract, retry: { attempts: 3, firstWaitMs: 20, growth: 'linear' as const } };

let rig: Rig;
let pipelines: PipelineClient;
let target: TargetServer;

beforeAll(async () => {
  target = await startTargetServer();
  rig = await createRig({ activities: (deps) => createAgentEvalRunActivities(deps, quick) });
  pipelines = createPipelineClient(rig);
});

afterAll(async () => {
  await rig.close();
  await target.close();
});

async function* sums(count: number): AsyncGenerator<{ line: number; case: ImportedCase }> {
  for (let n = 1; n <= count; n++) {
    const content = `What is ${n} + 1?`;
    yield {
      line: n,
      case: { id: `sum-${n}`, input: [{ role: 'user', content }], assertions: [{ type: 'numeric', values: [String(n + 1)] }], metadata: {} },
    };
  }
}

const prepare = async (
  id: string,
  cases: number,
  options: { readonly config?: EvalRunConfig; readonly target?: TargetConfig } = {},
): Promise<void> => {
  await importBenchmark(rig.db, { name: id, mode: 'create', cases: sums(cases) });
  const asked = options.target ?? { kind: 'http', url: `${target.url}/${id}` };
  await createEvalRun(rig.db, { id, userId: 'u1', benchmark: id, target: asked, config: options.config ?? {} });
};

const run = async (id: string, input: StartInput = {}) => pipelines.result(await pipelines.start(contract, { runId: id, userId: 'u1', ...input }));

const countDone = async (id: string): Promise<number> => (await readLedgerStates(rig.db, id, contract.type)).done;

const countRows = async (): Promise<unknown> =>
  readRow(
    rig.db,
    sql`select (select count(*) from pipeline_runs) as runs, (select count(*) from pipeline_items) as items, (select count(*) from eval_trajectories) as trajectories`,
  );

describe('an evaluation run of 1,000 cases', () => {
  const id = 'thousand';

  test('a dry run counts 1,000/1,000/0 and writes nothing', async () => {
    await prepare(id, 1_000, { target: { kind: 'module', module: 'bundled' } });
    const before = await countRows();
    expect(await run(id, { dryRun: true })).toMatchObject({
      outcome: 'dryRun',
      message: '[DryRun] Would execute 1000 test cases',
      totalEligible: 1_000,
      toProcess: 1_000,
      alreadyProcessed: 0,
    });
    expect(await countRows()).toEqual(before);
    expect(await findEvalRun(rig.db, id)).toMatchObject({ status: 'idle' });
  });

  test('a run finishes them, a second one finds nothing left, and deleting 7 results executes exactly those 7 again', async () => {
    expect(await run(id)).toMatchObject({ outcome: 'completed', succeeded: 1_000, failed: 0, remaining: 0, message: 'Executed 1000 test cases' });
    expect(await findEvalRun(rig.db, id)).toMatchObject({ status: 'completed' });
    expect(await run(id)).toMatchObject({ outcome: 'nothingToDo', message: 'All test cases already executed', alreadyProcessed: 1_000 });
    await rig.db.execute(sql`delete from eval_results where run_id = ${id} and case_id in (select 'sum-' || n from generate_series(101, 107) n)`);
    expect(await run(id)).toMatchObject({ outcome: 'completed', toProcess: 7, alreadyProcessed: 993, succeeded: 7 });
    expect(await readRow(rig.db, sql`select count(*)::int as results, count(distinct item_row)::int as cases from eval_trajectories`)).toEqual({
      results: 1_000,
      cases: 1_000,
    });
  }, 180_000);
});

test('A1: pending cases alone are executed; after the run a redrive executes the error and the timeout again and leaves the passed one', async () => {
  const id = 'a1';
  target.answer(id, (question, asked) => {
    if (question.includes('1 + 1')) return { status: 200, output: '2' };
    return asked === 1 ? { status: 400, output: '' } : { status: 200, output: question.includes('2 + 1') ? '3' : '4' };
  });
  await prepare(id, 3);
  const first = await pipelines.start(contract, { runId: id, userId: 'u1' });
  expect(await pipelines.result(first)).toMatchObject({ outcome: 'completedWithFailures', succeeded: 1, failed: 2 });
  expect(await run(id)).toMatchObject({ outcome: 'nothingToDo', alreadyProcessed: 3 });
  expect(await run(id, { redriveOf: first.workflowId })).toMatchObject({ outcome: 'completed', toProcess: 2, succeeded: 2, failed: 0 });
  expect(target.asked(id)).toBe(5);
});

test('A8: a case whose target refuses is an error, the others are judged, and the run completes', async () => {
  const id = 'a8';
  target.answer(id, (question) => (question.includes('3 + 1') ? { status: 404, output: '' } : { status: 200, output: '2' }));
  await prepare(id, 3);
  expect(await run(id)).toMatchObject({ outcome: 'completedWithFailures', succeeded: 2, failed: 1 });
  expect(await findEvalRun(rig.db, id)).toMatchObject({ status: 'completed' });
});

test('a run whose cases all err is failed', async () => {
  const id = 'all-err';
  target.answer(id, () => ({ status: 403, output: '' }));
  await prepare(id, 2);
  expect(await run(id)).toMatchObject({ outcome: 'completedWithFailures', failed: 2 });
  expect(await findEvalRun(rig.db, id)).toMatchObject({ status: 'failed' });
});

test('E9: an unknown run, or one of another user, is refused with "Run not found" and leaves no row', async () => {
  await prepare('mine', 1);
  const before = await countRows();
  for (const input of [
    { runId: 'nobody', userId: 'u1' },
    { runId: 'mine', userId: 'someone-else' },
  ]) {
    const started = await pipelines.start(contract, input);
    await expect(pipelines.result(started)).rejects.toMatchObject({ cause: { type: 'PreflightRefused', message: 'Run not found' } });
  }
  expect(await countRows()).toEqual(before);
});

test('a status left at running refuses, unless forced: then pending cases are executed and finished ones are not', async () => {
  const id = 'stuck';
  target.answer(id, (question) => ({ status: 200, output: question.includes('1 + 1') ? '2' : '3' }));
  await prepare(id, 2);
  await rig.db.execute(sql`update eval_runs set status = 'running' where id = ${id}`);
  const refused = await pipelines.start(contract, { runId: id, userId: 'u1' });
  await expect(pipelines.result(refused)).rejects.toMatchObject({ cause: { type: 'PreflightRefused', message: 'Run is already running' } });
  expect(await run(id, { force: true })).toMatchObject({ outcome: 'completed', epoch: 1, succeeded: 2 });
  expect(await run(id, { force: true })).toMatchObject({ outcome: 'nothingToDo', alreadyProcessed: 2 });
});

test('an external run is refused: its results come from outside', async () => {
  await prepare('outside', 1);
  await rig.db.execute(sql`update eval_runs set status = 'external' where id = 'outside'`);
  const refused = await pipelines.start(contract, { runId: 'outside', userId: 'u1' });
  await expect(pipelines.result(refused)).rejects.toMatchObject({ cause: { type: 'PreflightRefused' } });
});

test('one case alone is executed again by its id, and no case of a run ever has two results', async () => {
  const id = 'single';
  target.answer(id, (question, asked) => (question.includes(' 1 + 1') && asked === 1 ? { status: 400, output: '' } : { status: 200, output: '2' }));
  await prepare(id, 3);
  const started = await pipelines.start(contract, { runId: id, userId: 'u1', itemIds: ['sum-1'] });
  expect(await pipelines.result(started)).toMatchObject({ toProcess: 1, failed: 1 });
  expect(await run(id, { redriveOf: started.workflowId })).toMatchObject({ toProcess: 1, succeeded: 1 });
  expect(await run(id)).toMatchObject({ toProcess: 2, succeeded: 2 });
  expect(
    await readRow(rig.db, sql`select count(*)::int as rows from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id where e.scope = ${id}`),
  ).toEqual({ rows: 3 });
});

test('k = 2 asks each case twice under different keys, and a retry asks only what has no stored answer', async () => {
  const id = 'twice';
  target.answer(id, (_question, asked) => (asked === 2 ? { status: 500, output: '' } : { status: 200, output: '2' }));
  await prepare(id, 1, { config: { k: 2 } });
  expect(await run(id)).toMatchObject({ outcome: 'completed', succeeded: 1 });
  const keys = target.keys(id);
  expect(keys).toHaveLength(3);
  expect(keys[1]).toBe(keys[2]);
  expect(new Set(keys).size).toBe(2);
});

test('an abort in the middle says so with exact counters; running again finishes the rest and every case has exactly one result', async () => {
  const id = 'aborted';
  const gate = Promise.withResolvers<void>();
  target.answer(id, () => ({ status: 200, output: '2' }));
  target.hold(id, 30, gate.promise);
  await prepare(id, 100);
  const started = await pipelines.start(contract, { runId: id, userId: 'u1' });
  // How many wait depends on how far each chunk has come: one that has nothing left has no lane.
  await target.reached(id, 31);
  await waitUntil({ what: 'thirty cases committed', timeoutMs: 60_000, probe: async () => (await countDone(id)) === 30 });
  expect(await pipelines.control('abort', started.workflowId, 'enough')).toMatchObject({ accepted: true, state: 'aborting' });
  const aborted = await pipelines.result(started);
  const asked = target.asked(id);
  gate.resolve();
  expect(aborted).toMatchObject({
    outcome: 'aborted',
    cancelled: true,
    toProcess: 100,
    succeeded: 30,
    failed: 0,
    remaining: 70,
    message: 'Aborted: 30 of 100 test cases executed',
  });
  expect(aborted.interrupted).toBe(asked - 30);
  expect(await findEvalRun(rig.db, id)).toMatchObject({ status: 'aborted' });
  expect(await run(id)).toMatchObject({ outcome: 'completed', toProcess: 70, alreadyProcessed: 30, succeeded: 70 });
  expect(await countDone(id)).toBe(100);
  expect(await findEvalRun(rig.db, id)).toMatchObject({ status: 'completed' });
});

test('a case that was judged is retried alone: a new round keeps the old answer beside the new one, and there is still one result', async () => {
  const id = 'retried';
  target.answer(id, () => ({ status: 200, output: '2' }));
  await prepare(id, 2);
  expect(await reopenCase(rig.db, { runId: id, caseId: 'sum-1' })).toBe('pending');
  await run(id);
  expect(await reopenCase(rig.db, { runId: id, caseId: 'nobody' })).toBe('missing');
  expect(await reopenCase(rig.db, { runId: id, caseId: 'sum-1' })).toBe('reopened');
  expect(await run(id, { itemIds: ['sum-1'] })).toMatchObject({ outcome: 'completed', toProcess: 1, succeeded: 1 });
  const rows = sql`select (select count(*)::int from eval_results where run_id = ${id}) as results,
    (select count(*)::int from eval_trajectories t join eval_results r on r.id = t.item_row where r.run_id = ${id}) as answers`;
  expect(await readRow(rig.db, rows)).toEqual({ results: 2, answers: 3 });
  expect(new Set(target.keys(id)).size).toBe(3);
});
