import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxOpenChildren, payloadBytes, pick, readChain } from './histories.ts';
import { createTrialRig, itemName, itemNames } from './trial.ts';
import type { TrialRig } from './trial.ts';

const IS_FULL = process.env['STRATA_TEST_FULL'] === '1';
const CARRIED_BYTES = 16_000;
let trials: TrialRig;

beforeAll(async () => {
  trials = await createTrialRig();
  await trials.rig.db.execute(
    sql`create table trial_items (trial_set text, item_id text, at timestamptz not null, updated_at timestamptz, primary key (trial_set, item_id))`,
  );
});

// Hundreds of histories are replayed.
afterAll(() => trials.rig.close(), 240_000);

const rowsOf = (set: string) =>
  ({ query: sql`select t.item_id, t.at as sort_key from trial_items t where t.trial_set = ${set}`, sortType: 'timestamptz' }) as const;

/** Row n is created at second n of a minute-long epoch; `shift` moves it by so many seconds. */
const insertRows = (set: string, itemIds: readonly string[], shift = 0): Promise<unknown> =>
  trials.rig.db.execute(sql`
    insert into trial_items select ${set}, item_id, timestamptz '2026-01-01' + make_interval(secs => right(item_id, 6)::int + ${shift})
    from unnest(${sql.param([...itemIds])}::text[]) item_id`);

const everySecond = itemNames(1, 120).filter((_, index) => index % 2 === 0);

describe('pages of which a part is processed', () => {
  test.each([
    ['P12', 50, itemNames(1, 30), {}, { pages: 1, chunks: 0, direct: 20, succeeded: 20 }],
    ['P13', 120, itemNames(1, 50), {}, { pages: 3, chunks: 3, direct: 20, succeeded: 70 }],
    ['P14', 120, everySecond, {}, { pages: 3, chunks: 4, direct: 10, succeeded: 60 }],
    ['P15', 200, itemNames(1, 100), { pageSize: 100 }, { pages: 2, chunks: 5, direct: 0, succeeded: 100 }],
  ] as const)(
    '%s: of %i items a part is done, and the pages, chunks and direct items are those of the open ones',
    async (id, items, done, plan, expected) => {
      trials.declare(id, { items, plan });
      await trials.markDone(id, done);
      const result = await trials.run(id);
      expect(result).toMatchObject({ ...expected, totalEligible: items, toProcess: expected.succeeded, alreadyProcessed: done.length, remaining: 0 });
      const executed = trials.executed(id);
      expect(executed).toHaveLength(expected.succeeded);
      expect(new Set([...executed, ...done]).size).toBe(items);
    },
  );
});

describe('the keyset', () => {
  test('P16: 25 rows of one transaction with an equal sort value are 2 pages of 20, each id once', async () => {
    await trials.rig.db.execute(sql`insert into trial_items select 'P16', 'i-' || lpad(n::text, 6, '0'), now() from generate_series(1, 25) n`);
    trials.declare('P16', { items: rowsOf('P16'), plan: { pageSize: 20 } });
    expect(await trials.run('P16')).toMatchObject({ pages: 2, chunks: 0, direct: 25, succeeded: 25 });
    expect(trials.executed('P16').toSorted()).toEqual(itemNames(1, 25));
  });

  test('P16: sort values that differ by one microsecond lose nothing', async () => {
    await trials.rig.db.execute(
      sql`insert into trial_items select 'P16b', 'i-' || lpad(n::text, 6, '0'), timestamptz '2026-01-01' + n * interval '1 microsecond' from generate_series(1, 25) n`,
    );
    trials.declare('P16b', { items: rowsOf('P16b'), plan: { pageSize: 10 } });
    expect(await trials.run('P16b')).toMatchObject({ pages: 3, direct: 25, succeeded: 25 });
    expect(trials.executed('P16b').toSorted()).toEqual(itemNames(1, 25));
  });

  test('P17: a page of 2,500 is 125 chunks, and never more children are in flight than the window', { timeout: 240_000 }, async () => {
    trials.declare('P17', { items: 2_500 });
    const started = await trials.start('P17', { pageSize: 2_500 });
    expect(await trials.pipelines.result(started)).toMatchObject({ pages: 1, chunks: 125, direct: 0, succeeded: 2_500 });
    expect(new Set(trials.executed('P17')).size).toBe(2_500);
    expect(trials.executed('P17')).toHaveLength(2_500);
    expect(maxOpenChildren(await readChain(trials.rig, started.workflowId, started.runId))).toBeLessThanOrEqual(trials.contract.plan.chunksInFlight);
  });
});

/** Lets the 50th item, the last of page 1, act before it ends: with a window of one page, page 2 is listed after that. */
const afterPageOne = (set: string, act: () => Promise<unknown>) => async () => {
  if (trials.executed(set).length === 50) await act();
  return { kind: 'done' } as const;
};

describe('rows that change between pages', () => {
  test('P19: of rows that appear before and behind the cursor after page 1 this run takes none, the next all', async () => {
    await insertRows('P19', itemNames(1, 120));
    const late = async (): Promise<void> => {
      await insertRows('P19', itemNames(201, 205), -200);
      await insertRows('P19', itemNames(301, 305));
    };
    trials.declare('P19', { items: rowsOf('P19'), plan: { pagesAhead: 0 }, execute: afterPageOne('P19', late) });
    expect(await trials.run('P19')).toMatchObject({ totalEligible: 120, toProcess: 120, succeeded: 120, remaining: 0 });
    expect(trials.executed('P19').toSorted()).toEqual(itemNames(1, 120));
    expect(await trials.run('P19')).toMatchObject({ totalEligible: 130, toProcess: 10, alreadyProcessed: 120, succeeded: 10 });
  });

  test('P19: rows that appear between the cursor and the upper bound never make a run longer than it was counted', async () => {
    await insertRows('P19b', itemNames(1, 120));
    trials.declare('P19b', {
      items: rowsOf('P19b'),
      plan: { pagesAhead: 0 },
      execute: afterPageOne('P19b', () => insertRows('P19b', itemNames(201, 205), -90)),
    });
    expect(await trials.run('P19b')).toMatchObject({ toProcess: 120, succeeded: 120, remaining: 0 });
    expect(await trials.run('P19b')).toMatchObject({ totalEligible: 125, toProcess: 5, succeeded: 5 });
    expect(new Set(trials.executed('P19b')).size).toBe(125);
    expect(trials.executed('P19b')).toHaveLength(125);
  });

  test('P20: rows 50, 60 and 61 are deleted after page 1 is done: 118 executions on pages of 50, 50 and 18', async () => {
    await insertRows('P20', itemNames(1, 120));
    const gone = [50, 60, 61].map(itemName);
    const drop = () => trials.rig.db.execute(sql`delete from trial_items where trial_set = 'P20' and item_id = any(${sql.param(gone)}::text[])`);
    trials.declare('P20', { items: rowsOf('P20'), plan: { pagesAhead: 0 }, execute: afterPageOne('P20', drop) });
    const started = await trials.start('P20');
    expect(await trials.pipelines.result(started)).toMatchObject({ pages: 3, chunks: 6, direct: 18, succeeded: 118, toProcess: 120, remaining: 2 });
    expect(trials.executed('P20')).toHaveLength(118);
    expect(trials.executed('P20')).toContain(itemName(50));
  });

  test('P21: an item whose own write bumps updated_at is executed once', async () => {
    await insertRows('P21', itemNames(1, 120));
    trials.declare('P21', {
      items: rowsOf('P21'),
      execute: async ({ itemId }) => ({
        kind: 'done',
        write: async (tx) => void (await tx.execute(sql`update trial_items set updated_at = now() where trial_set = 'P21' and item_id = ${itemId}`)),
      }),
    });
    expect(await trials.run('P21')).toMatchObject({ succeeded: 120, pages: 3 });
    expect(trials.executed('P21').toSorted()).toEqual(itemNames(1, 120));
    const [bumped] = await trials.query<{ count: number }>(
      sql`select count(*)::int as count from trial_items where trial_set = 'P21' and updated_at is not null`,
    );
    expect(bumped?.count).toBe(120);
  });

  test('P22: a row that commits late, below the cursor, belongs to the next run', async () => {
    await insertRows('P22', itemNames(1, 120).toSpliced(9, 1));
    const client = await trials.rig.pool.connect();
    await client.query('begin');
    await client.query("insert into trial_items values ('P22', $1, timestamptz '2026-01-01' + interval '10 seconds')", [itemName(10)]);
    trials.declare('P22', { items: rowsOf('P22'), plan: { pagesAhead: 0 }, execute: afterPageOne('P22', () => client.query('commit')) });
    const first = await trials.run('P22');
    client.release();
    expect(first).toMatchObject({ totalEligible: 119, toProcess: 119, succeeded: 119, remaining: 0 });
    expect(await trials.run('P22')).toMatchObject({ totalEligible: 120, toProcess: 1, alreadyProcessed: 119, succeeded: 1 });
    expect(trials.executed('P22').at(-1)).toBe(itemName(10));
  });
});

describe('a history that fills up', () => {
  const items = IS_FULL ? 60_000 : 6_000;
  const eventBudget = IS_FULL ? 3_000 : 300;
  const pages = items / 50;

  test(
    `P18: ${items} items are ${pages} pages and ${pages * 3} chunks over at least 4 continue-as-new, no run above its budget`,
    { timeout: IS_FULL ? 3_000_000 : 600_000 },
    async () => {
      trials.declare('P18', { items, plan: { eventBudget } });
      const started = await trials.start('P18');
      expect(await trials.pipelines.result(started)).toMatchObject({
        pages,
        chunks: pages * 3,
        direct: 0,
        succeeded: items,
        failed: 0,
        remaining: 0,
      });
      expect(trials.executed('P18')).toHaveLength(items);
      expect(new Set(trials.executed('P18')).size).toBe(items);
      const chain = await readChain(trials.rig, started.workflowId, started.runId);
      expect(chain.length).toBeGreaterThanOrEqual(5);
      expect(Math.max(...chain.map(({ events }) => events.length))).toBeLessThanOrEqual(eventBudget);
      expect(chain.reduce((sum, { events }) => sum + events.length, 0)).toBeGreaterThanOrEqual(12 * pages);
      const carried = pick(chain, 'workflowExecutionContinuedAsNewEventAttributes').map(({ input }) => payloadBytes(input));
      expect(Math.max(...carried)).toBeLessThanOrEqual(CARRIED_BYTES);
    },
  );

  test('P23: slow chunks while the parent reaches its budget: no child ends early, page numbers and totals go on', async () => {
    const execute = async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { kind: 'done' } as const;
    };
    trials.declare('P23', { items: 120, plan: { eventBudget: 100, pagesAhead: 1, pageSize: 10, chunkSize: 5 }, execute });
    const started = await trials.start('P23');
    expect(await trials.pipelines.result(started)).toMatchObject({ pages: 12, chunks: 24, direct: 0, succeeded: 120, interrupted: 0, remaining: 0 });
    const chain = await readChain(trials.rig, started.workflowId, started.runId);
    expect(chain.length).toBeGreaterThan(1);
    expect(trials.executed('P23').toSorted()).toEqual(itemNames(1, 120));
    const children = pick(chain, 'startChildWorkflowExecutionInitiatedEventAttributes').map(({ workflowId }) => workflowId ?? '');
    const wanted = Array.from({ length: 24 }, (_, index) => `probe/P23/e1/${Math.floor(index / 2) + 1}/${(index % 2) + 1}`);
    expect(children).toHaveLength(24);
    expect(new Set(children)).toEqual(new Set(wanted));
    expect(pick(chain, 'childWorkflowExecutionCompletedEventAttributes')).toHaveLength(24);
    expect(pick(chain, 'childWorkflowExecutionCanceledEventAttributes')).toHaveLength(0);
  });
});
