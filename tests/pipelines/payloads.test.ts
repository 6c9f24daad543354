import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { itemFailure } from '../../activities/runner/failures.ts';
import type { Transaction } from '../../packages/database/database.ts';
import { ITEM_FAILURES } from '../../packages/contracts/failures.ts';
import { maxTaskBytes, payloadBytes, pick, readChain } from './histories.ts';
import type { ChainedRun } from './histories.ts';
import { createTrialRig, itemName, itemNames } from './trial.ts';
import type { TrialRig } from './trial.ts';

const IS_FULL = process.env['STRATA_TEST_FULL'] === '1';
const TASK_BYTES = 1_000_000;
let trials: TrialRig;

beforeAll(async () => {
  trials = await createTrialRig();
});

afterAll(() => trials.rig.close());

interface Row {
  readonly item_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly error_type: string | null;
  readonly error: string | null;
  readonly bytes: number | null;
}

const rowsOf = (set: string): Promise<Row[]> =>
  trials.query<Row>(sql`
    select i.item_id, i.state, i.attempts, i.error_type, i.error, length(i.result::text) as bytes
    from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id where e.scope = ${set} order by i.item_id`);

/** The histories of a run and of all its chunks. */
const readAll = async ({ workflowId, runId }: { workflowId: string; runId: string }): Promise<ChainedRun[]> => {
  const chain = await readChain(trials.rig, workflowId, runId);
  const children = pick(chain, 'childWorkflowExecutionStartedEventAttributes').map(({ workflowExecution }) =>
    readChain(trials.rig, workflowExecution?.workflowId ?? '', workflowExecution?.runId ?? ''),
  );
  return [...chain, ...(await Promise.all(children)).flat()];
};

const activityResults = (runs: readonly ChainedRun[]): number[] =>
  pick(runs, 'activityTaskCompletedEventAttributes').map(({ result }) => payloadBytes(result));
const failureSizes = (runs: readonly ChainedRun[]): number[] =>
  pick(runs, 'activityTaskFailedEventAttributes').map(
    ({ failure }) => Buffer.byteLength(JSON.stringify(failure?.message ?? '')) + payloadBytes(failure),
  );

describe.each(['item', 'slice'] as const)('results in %s dispatch', (dispatch) => {
  test('L1: of 3 MB fail the item as PayloadTooLarge at its first attempt, the others are done', async () => {
    const set = `L1-${dispatch}`;
    trials.declare(set, {
      items: 20,
      plan: { dispatch },
      execute: async ({ itemId }) => ({ kind: 'done', result: { text: 'x'.repeat(itemId === itemName(7) ? 3_000_000 : 10) } }),
    });
    const started = await trials.start(set);
    expect(await trials.pipelines.result(started)).toMatchObject({ outcome: 'completedWithFailures', succeeded: 19, failed: 1 });
    expect((await rowsOf(set))[6]).toMatchObject({
      state: 'failed',
      error_type: 'PayloadTooLarge',
      attempts: 1,
      error: 'result has 3000011 bytes, at most 262144 are kept',
    });
    expect(maxTaskBytes(await readAll(started))).toBeLessThan(TASK_BYTES);
  });

  test('L1: of 80 kB from 60 items at once are stored in their rows, and no workflow task is above 1 MB', async () => {
    const set = `L1b-${dispatch}`;
    trials.declare(set, { items: 60, plan: { dispatch }, execute: async () => ({ kind: 'done', result: 'x'.repeat(80_000) }) });
    const started = await trials.start(set);
    expect(await trials.pipelines.result(started)).toMatchObject({ outcome: 'completed', succeeded: 60 });
    expect((await rowsOf(set)).map(({ bytes }) => bytes)).toEqual(Array.from({ length: 60 }, () => 80_002));
    const runs = await readAll(started);
    expect(maxTaskBytes(runs)).toBeLessThan(TASK_BYTES);
    expect(Math.max(...activityResults(runs))).toBeLessThanOrEqual(4_000);
  });

  test('L3: that are no JSON fail UnserializableValue with the path, at the first attempt, and hold up nobody', async () => {
    const set = `L3-${dispatch}`;
    const bad: readonly unknown[] = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      new Date(0),
      new Map(),
      new Set(),
      new Error('x'),
      Buffer.from('x'),
      undefined,
      '\0',
      '😀'.slice(1),
    ];
    const kinds = ['NaN', 'Infinity', 'bigint', 'Date', 'Map', 'Set', 'Error', 'Buffer', 'undefined', 'text with NUL', 'text with half a character'];
    trials.declare(set, {
      items: 20,
      plan: { dispatch },
      execute: async ({ itemId }) => ({
        kind: 'done',
        result: { list: [1, { deep: Number(itemId.slice(2)) > bad.length ? 1 : bad[Number(itemId.slice(2)) - 1] }] },
      }),
    });
    expect(await trials.run(set)).toMatchObject({ succeeded: 20 - bad.length, failed: bad.length });
    const rows = await rowsOf(set);
    expect(rows.slice(0, bad.length).map(({ error_type, error, attempts }) => [error_type, error, attempts])).toEqual(
      kinds.map((kind) => ['UnserializableValue', `result.list[1].deep: ${kind}`, 1]),
    );
    expect(trials.executed(set)).toHaveLength(20);
  });

  test('texts of failures and skips that no text column holds are kept as far as they can be', async () => {
    const set = `texts-${dispatch}`;
    const execute = async ({ itemId }: { itemId: string }) => {
      if (itemId === itemName(1)) throw itemFailure(ITEM_FAILURES.providerRefused, `binary \0 answer ${'😀'.slice(0, 1)}`);
      if (itemId === itemName(2)) return { kind: 'skipped', reason: 'half \0 read' } as const;
      if (itemId === itemName(3)) throw itemFailure(ITEM_FAILURES.providerRefused, 'x'.repeat(5_000_000));
      return { kind: 'done' } as const;
    };
    trials.declare(set, { items: 5, plan: { dispatch }, execute });
    const started = await trials.start(set);
    expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 2, failed: 2, skipped: 1, remaining: 0 });
    const rows = await rowsOf(set);
    expect(rows[0]).toMatchObject({ state: 'failed', error_type: 'ProviderRefused', error: 'binary \uFFFD answer \uFFFD' });
    expect(rows[1]).toMatchObject({ state: 'skipped', error: 'half \uFFFD read' });
    expect(rows[2]?.error).toHaveLength(998);
    expect(Math.max(0, ...failureSizes(await readAll(started)))).toBeLessThan(2_000);
  });

  test('L4: an insert of 5,000 rows that hits a duplicate fails with SQLSTATE and constraint, below 2 kB, without SQL or values', async () => {
    const set = `L4-${dispatch}`;
    const table = `secrets_${dispatch}`;
    await trials.rig.pool.query(`create table ${table} (secret text constraint ${table}_unique unique)`);
    const values = Array.from({ length: 5_000 }, (_, n) => `password-${n % 4_999}`);
    const insert = sql`insert into ${sql.identifier(table)} select unnest(${sql.param(values)}::text[])`;
    const execute = async ({ itemId }: { itemId: string }) => {
      if (itemId === itemName(1)) await trials.rig.db.execute(insert);
      return itemId === itemName(2)
        ? ({ kind: 'done', write: async (tx: Transaction) => void (await tx.execute(insert)) } as const)
        : ({ kind: 'done' } as const);
    };
    trials.declare(set, { items: 4, plan: { dispatch }, execute });
    const started = await trials.start(set);
    expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 2, failed: 2 });
    for (const row of (await rowsOf(set)).slice(0, 2))
      expect(row).toMatchObject({
        state: 'failed',
        error_type: 'UniqueViolation',
        attempts: 1,
        error: `database error 23505, constraint ${table}_unique`,
      });
    const runs = await readAll(started);
    expect(Math.max(0, ...failureSizes(runs))).toBeLessThan(2_000);
    expect(JSON.stringify(runs.map(({ events }) => events.map((event) => event.activityTaskFailedEventAttributes)))).not.toMatch(
      /insert into|password-/,
    );
  });
});

describe('what crosses the boundary', () => {
  test('receipts stay below 512 bytes and failures below 2 kB, however long the item ids are', async () => {
    const ids = Array.from({ length: 21 }, (_, n) => `${n}-${'語'.repeat(900)}`);
    const items = {
      query: sql`select item_id, n as sort_key from unnest(${sql.param(ids)}::text[]) with ordinality as u(item_id, n)`,
      sortType: 'bigint',
    } as const;
    const execute = async ({ itemId }: { itemId: string }) => {
      if (itemId.startsWith('1-')) throw itemFailure(ITEM_FAILURES.providerRefused, 'é'.repeat(2_000));
      return { kind: 'done', result: { itemId } } as const;
    };
    trials.declare('receipts', { items, execute });
    const started = await trials.start('receipts');
    expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 20, failed: 1 });
    const runs = await readAll(started);
    const children = runs.slice(1);
    expect(children.length).toBeGreaterThan(0);
    expect(Math.max(...activityResults(children))).toBeLessThanOrEqual(512);
    expect(Math.max(...failureSizes(runs))).toBeLessThan(2_000);
  });

  test('a chunk of 300 long ids has an input of at most 64 KiB, and no workflow task is above 1 MB', async () => {
    const items = {
      query: sql`select lpad(n::text, 250, 'x') as item_id, n as sort_key from generate_series(1, 600) n`,
      sortType: 'integer',
    } as const;
    trials.declare('chunks', { items, plan: { pageSize: 600, chunkSize: 300 } });
    const started = await trials.start('chunks');
    expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 600, pages: 1, chunks: 3, direct: 0 });
    const chain = await readChain(trials.rig, started.workflowId, started.runId);
    const inputs = pick(chain, 'startChildWorkflowExecutionInitiatedEventAttributes').map(({ input }) => payloadBytes(input));
    expect(Math.max(...inputs)).toBeLessThanOrEqual(64 * 1024);
    expect(maxTaskBytes(chain)).toBeLessThan(TASK_BYTES);
  });
});

describe('many failures', () => {
  const items = IS_FULL ? 100_000 : 10_000;

  test(`L2: ${items} failed items over several continue-as-new carry at most 16 kB`, { timeout: IS_FULL ? 3_000_000 : 600_000 }, async () => {
    trials.declare('L2', {
      items,
      plan: { dispatch: 'slice', pageSize: 500, chunkSize: 100, eventBudget: IS_FULL ? 500 : 200 },
      execute: () => Promise.reject(itemFailure(ITEM_FAILURES.providerRefused, 'no '.repeat(300))),
    });
    const started = await trials.start('L2');
    expect(await trials.pipelines.result(started)).toMatchObject({
      outcome: 'completedWithFailures',
      failed: items,
      succeeded: 0,
      pages: items / 500,
      direct: items,
      remaining: 0,
    });
    const chain = await readChain(trials.rig, started.workflowId, started.runId);
    const carried = pick(chain, 'workflowExecutionContinuedAsNewEventAttributes').map(({ input }) => payloadBytes(input));
    expect(carried.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...carried)).toBeLessThanOrEqual(16_000);
    expect(await trials.ledger('L2')).toMatchObject({ failed: items, open: 0 });
    expect(trials.executed('L2')).toHaveLength(items);
    expect(itemNames(1, 3).every((id) => trials.executed('L2').includes(id))).toBe(true);
  });
});
