import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { importBenchmark } from '../../packages/database/eval-benchmarks.ts';
import { claimItems } from '../../packages/database/item-claims.ts';
import { endItems, releaseItems } from '../../packages/database/item-endings.ts';
import { createTestDatabase, openTestRun } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

const ROWS = 13_108;
const MOST_PARAMETERS = 65_535;

interface Sent {
  readonly text: string;
  readonly parameters: number;
}

let base: TestDatabase;
let sent: Sent[];

beforeEach(async () => {
  base = await createTestDatabase();
  sent = [];
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [statement, values] = args as [{ readonly text?: string } | string, unknown];
    sent.push({ text: typeof statement === 'string' ? statement : (statement.text ?? ''), parameters: Array.isArray(values) ? values.length : 0 });
    return query.apply(this, args);
  } as never);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await base.close();
});

async function* cases() {
  for (let line = 1; line <= ROWS; line++)
    yield {
      line,
      case: { input: [{ role: 'user' as const, content: `q${line}` }], assertions: [{ type: 'equals' as const, values: ['a'] }], metadata: {} },
    };
}

test('D4: 13,108 rows of 5 columns are written by several statements, each far below the most parameters a statement may have', async () => {
  const answer = await importBenchmark(base.db, { name: 'many', mode: 'create', cases: cases() });
  expect(answer).toEqual({ kind: 'imported', imported: ROWS, total: ROWS });
  const inserts = sent.filter(({ text }) => text.startsWith('insert into eval_cases'));
  expect(inserts.length).toBeGreaterThan(1);
  expect(ROWS * 5).toBeGreaterThan(MOST_PARAMETERS);
  expect(Math.max(...inserts.map(({ parameters }) => parameters))).toBeLessThan(100);
});

test('D4: 13,108 items are claimed, ended and given back with a handful of parameters', async () => {
  const run = await openTestRun(base.db, { scope: 'many' });
  const itemIds = Array.from({ length: ROWS }, (_, index) => `item-${index}`);
  const { answers } = await claimItems(base.db, {
    run,
    claimants: itemIds.map((itemId) => ({ itemId, workflowId: 'w', activityId: '1' })),
    worker: 'x',
    maxAttempts: 5,
    retakesFailed: 'never',
  });
  const claims = answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim] : []));
  expect(claims.map(({ itemId }) => itemId)).toEqual(itemIds);
  const [half, rest] = [claims.slice(0, ROWS / 2), claims.slice(ROWS / 2)];
  const ended = await endItems(
    base.db,
    half.map((claim) => ({ claim, state: 'done' as const, result: null, resultHash: null, reason: null })),
  );
  expect(ended.size).toBe(ROWS / 2);
  await releaseItems(base.db, rest);
  const { rows } = await base.pool.query('select state, count(*)::int from pipeline_items group by 1 order by 1');
  expect(rows).toEqual([
    { state: 'done', count: ROWS / 2 },
    { state: 'open', count: ROWS / 2 },
  ]);
  expect(Math.max(...sent.map(({ parameters }) => parameters))).toBeLessThan(100);
});
