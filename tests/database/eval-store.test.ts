import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ImportedCase } from '../../packages/contracts/eval-case.ts';
import type { CaseRow, CaseVerdict } from '../../packages/contracts/eval-result.ts';
import { cloneDatabase, dropDatabase } from '../../packages/testing/databases.ts';
import type { Database } from '../../packages/database/database.ts';
import { findJudgeNeed, importBenchmark, listBenchmarks } from '../../packages/database/eval-benchmarks.ts';
import type { ImportMode } from '../../packages/database/eval-benchmarks.ts';
import { createEvalRun, evalCaseSource, findEvalRun, listEvalRuns, loadCaseWork, moveEvalRun } from '../../packages/database/eval-runs.ts';
import { readCaseRows, saveTrajectory } from '../../packages/database/eval-trajectories.ts';
import { countEligible } from '../../packages/database/eligible.ts';
import { createDatabase, createPool } from '../../packages/database/pool.ts';

const name = `eval_${randomBytes(5).toString('hex')}`;
let pool: pg.Pool;
let db: Database;

beforeAll(async () => {
  const databaseUrl = await cloneDatabase(inject('strata'), name);
  pool = createPool({ databaseUrl, size: 4, applicationName: 'eval-store-test', onError: () => undefined });
  db = createDatabase(pool);
});

afterAll(async () => {
  await pool.end();
  await dropDatabase(inject('strata'), name);
});

const makeCase = (n: number, id?: string): ImportedCase => ({
  ...(id === undefined ? {} : { id }),
  input: [{ role: 'user', content: `question ${n}` }],
  assertions: [{ type: 'equals', values: [`answer ${n}`] }],
  metadata: { category: n % 2 === 0 ? 'even' : 'odd' },
});

async function* cases(count: number, idOf: (n: number) => string | undefined = () => undefined) {
  for (let n = 1; n <= count; n++) yield { line: n, case: makeCase(n, idOf(n)) };
}

const importCount = (benchmark: string, mode: ImportMode, count: number) => importBenchmark(db, { name: benchmark, mode, cases: cases(count) });

const target = { kind: 'module', module: 'bundled' } as const;
const createRun = (id: string, benchmark: string) => createEvalRun(db, { id, userId: 'u1', benchmark, target, config: { k: 2 } });
async function readRows(runId: string): Promise<CaseRow[]> {
  const rows: CaseRow[] = [];
  for await (const row of readCaseRows(db, runId)) rows.push(row);
  return rows;
}

/** The ledger rows that the pipeline runner would have written. */
async function writeLedger(
  scope: string,
  rows: readonly { item: string; state: string; result?: CaseVerdict; errorType?: string; epoch?: number }[],
) {
  for (const { item, state, result, errorType, epoch = 1 } of rows) {
    await pool.query(`insert into pipeline_epochs (pipeline, scope, epoch) values ('agentEvalRun', $1, $2) on conflict do nothing`, [scope, epoch]);
    await pool.query(
      `insert into pipeline_items (epoch_id, item_id, state, run_id, workflow_id, activity_id, worker, finished_at, error_type, error, result)
       select id, $3, $4, 1, 'w', 'a', 'me', case when $4 <> 'claimed' then now() + interval '2 s' end, $5, case when $5::text is not null then 'why' end, $6
       from pipeline_epochs where pipeline = 'agentEvalRun' and scope = $1 and epoch = $2`,
      [scope, epoch, item, state, errorType ?? null, result === undefined ? null : JSON.stringify(result)],
    );
  }
}

async function ledgerRow(scope: string, item: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select i.id::text from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id where e.scope = $1 and i.item_id = $2`,
    [scope, item],
  );
  return rows[0]?.id ?? '';
}

describe('importing a benchmark', () => {
  test('numbers the cases, names those without an id by their place, and counts them', async () => {
    expect(await importCount('plain', 'create', 2_345)).toEqual({ kind: 'imported', imported: 2_345, total: 2_345 });
    expect(await createRun('plain-run', 'plain')).toBe('created');
    const rows = await readRows('plain-run');
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 2_345 }, (_, index) => index + 1));
    expect(rows[2_344]).toMatchObject({ caseId: 'case-2345', input: [{ role: 'user', content: 'question 2345' }], metadata: { category: 'odd' } });
  });

  test('refuses a name that is there, and a name that is not there when appending', async () => {
    await importCount('taken', 'create', 3);
    expect(await importCount('taken', 'create', 3)).toEqual({ kind: 'exists' });
    expect(await importCount('nobody', 'append', 3)).toEqual({ kind: 'missing' });
    expect((await listBenchmarks(db)).map((row) => row.name)).not.toContain('nobody');
  });

  test('appends behind the cases that are there, and an ended or idle run keeps its own selection', async () => {
    await importCount('growing', 'create', 3);
    await createRun('early', 'growing');
    expect(await importCount('growing', 'append', 2)).toEqual({ kind: 'imported', imported: 2, total: 5 });
    await createRun('late', 'growing');
    const count = async (runId: string) => countEligible(db, { source: evalCaseSource(runId), epochId: null, itemIds: null, retryFailed: 'redrive' });
    expect(await count('early')).toMatchObject({ total: 3, processed: 0 });
    expect(await count('late')).toMatchObject({ total: 5, upperBound: ['5', 'case-5'] });
    expect((await readRows('early')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('names the id and line of a duplicate, within a file and against the benchmark, and imports nothing', async () => {
    const twice = await importBenchmark(db, { name: 'twice', mode: 'create', cases: cases(1_500, (n) => (n === 1_400 ? 'id-1399' : `id-${n}`)) });
    expect(twice).toEqual({ kind: 'duplicate', caseId: 'id-1399', line: 1_400 });
    expect((await listBenchmarks(db)).map((row) => row.name)).not.toContain('twice');
    await importBenchmark(db, { name: 'ids', mode: 'create', cases: cases(3, (n) => `id-${n}`) });
    const again = await importBenchmark(db, { name: 'ids', mode: 'append', cases: cases(2, (n) => (n === 1 ? 'new' : 'id-2')) });
    expect(again).toEqual({ kind: 'duplicate', caseId: 'id-2', line: 2 });
    expect((await listBenchmarks(db)).find((row) => row.name === 'ids')?.cases).toBe(3);
  });

  test('imports nothing when the file turns out wrong in its last line', async () => {
    async function* broken() {
      yield* cases(2_000);
      throw new Error('data.jsonl:2001: expected something else');
    }
    await expect(importBenchmark(db, { name: 'broken', mode: 'create', cases: broken() })).rejects.toThrow('data.jsonl:2001');
    expect((await listBenchmarks(db)).map((row) => row.name)).not.toContain('broken');
  });

  test('replaces the cases as long as no run needs them', async () => {
    await importCount('swapped', 'create', 5);
    expect(await importCount('swapped', 'replace', 2)).toEqual({ kind: 'imported', imported: 2, total: 2 });
    await createRun('needs-it', 'swapped');
    expect(await importCount('swapped', 'replace', 9)).toEqual({ kind: 'inUse', runs: 1 });
    expect((await listBenchmarks(db)).find((row) => row.name === 'swapped')).toMatchObject({ cases: 2, runs: 1 });
  });

  test('lets imports of one new name take turns: one creates it, the others are refused', async () => {
    const answers = await Promise.all(Array.from({ length: 3 }, () => importCount('raced', 'create', 50)));
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['exists', 'exists', 'imported']);
    expect((await listBenchmarks(db)).find((row) => row.name === 'raced')?.cases).toBe(50);
  });

  test('knows whether a benchmark needs a judge', async () => {
    await importCount('unjudged', 'create', 1);
    const judged = { ...makeCase(1), assertions: [{ type: 'llm-rubric' as const, values: ['is polite'] }] };
    await importBenchmark(db, {
      name: 'judged',
      mode: 'create',
      cases: (async function* () {
        yield { line: 1, case: judged };
      })(),
    });
    expect([await findJudgeNeed(db, 'unjudged'), await findJudgeNeed(db, 'judged'), await findJudgeNeed(db, 'nobody')]).toEqual([false, true, null]);
  });
});

describe('an evaluation run', () => {
  test('is refused without its benchmark and under a taken id', async () => {
    await importCount('for-runs', 'create', 1);
    expect(await createRun('r1', 'nobody')).toBe('missing');
    expect(await createRun('r1', 'for-runs')).toBe('created');
    expect(await createRun('r1', 'for-runs')).toBe('taken');
    expect(await findEvalRun(db, 'nobody')).toBeNull();
    expect(await findEvalRun(db, 'r1')).toMatchObject({
      id: 'r1',
      userId: 'u1',
      benchmark: 'for-runs',
      bound: 1,
      target,
      config: { k: 2 },
      status: 'idle',
      startedAt: null,
    });
    expect((await listEvalRuns(db, { benchmark: 'for-runs', limit: 5 })).map(({ id }) => id)).toEqual(['r1']);
  });

  test('moves between statuses only from the expected ones, keeping its first start', async () => {
    await importCount('moving', 'create', 1);
    await createRun('m1', 'moving');
    expect(await moveEvalRun(db, { id: 'm1', from: ['idle', 'pending'], to: 'running' })).toBe(true);
    expect(await moveEvalRun(db, { id: 'm1', from: ['idle', 'pending'], to: 'running' })).toBe(false);
    const first = await findEvalRun(db, 'm1');
    await moveEvalRun(db, { id: 'm1', from: ['running'], to: 'completed' });
    expect((await findEvalRun(db, 'm1'))?.finishedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    await moveEvalRun(db, { id: 'm1', from: ['completed'], to: 'running' });
    expect(await findEvalRun(db, 'm1')).toMatchObject({ status: 'running', startedAt: first?.startedAt, finishedAt: null });
  });
});

describe('trajectories', () => {
  test('are written over, handed back as they were saved, refused to a lost claim, and gone with their ledger row', async () => {
    await importCount('paths', 'create', 2);
    await createRun('paths-run', 'paths');
    await writeLedger('paths-run', [{ item: 'case-1', state: 'claimed' }]);
    const itemRow = await ledgerRow('paths-run', 'case-1');
    const ungraded = { round: 0, k: 1, output: 'x', latencyMs: 12.5, tokens: 7 };
    const graded = { ...ungraded, score: 0.5, passed: false, grading: [{ type: 'equals', score: 0.5, reason: 'half' }] };
    const failed = { round: 0, k: 0, error: { type: 'ProviderRefused', message: 'Execution error: no' } };
    for (const trajectory of [ungraded, graded, failed]) expect(await saveTrajectory(db, { itemRow, token: 1, trajectory })).toBe(true);
    expect(await saveTrajectory(db, { itemRow, token: 2, trajectory: ungraded })).toBe(false);
    const work = await loadCaseWork(db, { runId: 'paths-run', caseId: 'case-1', itemRow });
    expect(work).toEqual({ case: { id: 'case-1', ...makeCase(1) }, target, config: { k: 2 }, round: 0, stored: [failed, graded] });
    await pool.query('delete from pipeline_items where id = $1', [itemRow]);
    expect((await pool.query('select 1 from eval_trajectories where item_row = $1', [itemRow])).rowCount).toBe(0);
    expect(await loadCaseWork(db, { runId: 'paths-run', caseId: 'case-1', itemRow })).toBeNull();
  });

  test('of a failed case are read with its row, those of the last round only', async () => {
    await importCount('rounds', 'create', 3);
    await createRun('rounds-run', 'rounds');
    const verdict: CaseVerdict = { status: 'passed', score: 1, k: 1, totals: {} };
    await writeLedger('rounds-run', [
      { item: 'case-1', state: 'claimed' },
      { item: 'case-2', state: 'done', result: verdict },
    ]);
    const itemRow = await ledgerRow('rounds-run', 'case-1');
    await saveTrajectory(db, { itemRow, token: 1, trajectory: { round: 0, k: 0, latencyMs: 1 } });
    await saveTrajectory(db, { itemRow, token: 1, trajectory: { round: 1, k: 0, latencyMs: 2 } });
    await pool.query(
      `update pipeline_items set state = 'failed', error_type = 'ItemTimeout', error = 'late', finished_at = claimed_at + interval '3 s' where id = $1`,
      [itemRow],
    );
    const rows = await readRows('rounds-run');
    expect(rows[0]).toMatchObject({
      state: 'failed',
      errorType: 'ItemTimeout',
      error: 'late',
      elapsedMs: 3_000,
      trajectories: [{ round: 1, k: 0, latencyMs: 2 }],
    });
    expect(rows[1]).toMatchObject({ state: 'done', result: verdict, trajectories: [] });
    expect(rows[2]).toMatchObject({ state: null, result: null, elapsedMs: null });
  });
});
