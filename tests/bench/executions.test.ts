import { afterAll, beforeAll, expect, test } from 'vitest';
import { countRunning, countSucceeded, readAftermath, readMaxOverlap, readOverlapAt } from '../../bench/executions.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);

let rig: Rig;

/** Executions as `[start, end]` in seconds; without an end they are under way. */
const record = async (set: string, executions: readonly (readonly [number, number?])[]): Promise<void> => {
  for (const [index, [start, end]] of executions.entries())
    await rig.pool.query(
      `insert into probe_executions (probe_set, item_id, run_id, attempt, started_at, ended_at, succeeded) values ($1, $2, 1, 1, $3, $4, $5)`,
      [set, `item-${index}`, at(start), end === undefined ? null : at(end), end !== undefined],
    );
};

beforeAll(async () => {
  rig = await createRig({ workers: 0 });
  await record('a', [[0, 1], [0.5, 2], [2, 3], [2.5]]);
  await record('b', [
    [0.75, 1.5],
    [4, 9],
  ]);
});
afterAll(() => rig.close());

test('executions are counted by what became of them', async () => {
  expect([await countSucceeded(rig.pool, 'a'), await countRunning(rig.pool, 'a')]).toEqual([3, 1]);
});

test('most at once is counted over all sets together, and an end at the instant of a start makes room for it', async () => {
  expect(await readMaxOverlap(rig.pool, ['a'])).toBe(2);
  expect(await readMaxOverlap(rig.pool, ['b'])).toBe(1);
  expect(await readMaxOverlap(rig.pool, ['a', 'b'])).toBe(3);
});

test('so many at once is dated at the first time, and at none where it never was', async () => {
  expect(await readOverlapAt(rig.pool, 'a', 2)).toEqual(at(0.5));
  expect(await readOverlapAt(rig.pool, 'a', 3)).toBeNull();
});

test('what follows a kill is what began after it; the longest gap is between two ends', async () => {
  expect(await readAftermath(rig.pool, 'a', at(1.8))).toEqual({ firstNewEnd: at(3), lastEnd: at(3), longestGapSeconds: 1 });
  expect(await readAftermath(rig.pool, 'b', at(5))).toEqual({ firstNewEnd: null, lastEnd: at(9), longestGapSeconds: 7.5 });
});
