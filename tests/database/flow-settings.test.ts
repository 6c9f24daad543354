import { afterAll, beforeAll, expect, test } from 'vitest';
import { NO_LIMIT } from '../../packages/contracts/flow-limits.ts';
import { listFlowSettings, loadFlowSettings, saveFlowChange, saveFlowDefaults } from '../../packages/database/flow-settings.ts';
import { createTestDatabase } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

let base: TestDatabase;

beforeAll(async () => {
  base = await createTestDatabase();
});
afterAll(() => base.close());

const limit = (parallelism: number | null, ratePerSecond: number | null = null) => ({ parallelism, ratePerSecond });
const applied = async (key: string) => (await loadFlowSettings(base.db, [key])).get(key);
const deploy = (key: string, parallelism: number, isCurrent = true) =>
  saveFlowDefaults(base.db, { keys: [{ key, limit: limit(parallelism) }], buildId: `build-${parallelism}`, isCurrent });

test('where nobody has ordered anything, the contract applies', async () => {
  expect(await applied('untouched')).toEqual({ limit: null, source: 'contract', isPaused: false });
});

test("F8: an operator's limit outlives a deployment with another default, and the deployment hears of it", async () => {
  expect(await deploy('kept', 10)).toEqual([]);
  await saveFlowChange(base.db, { key: 'kept', limit: limit(3, 7) });
  expect(await deploy('kept', 20)).toEqual([{ key: 'kept', brought: limit(20), applies: limit(3, 7), source: 'operator' }]);
  expect(await applied('kept')).toEqual({ limit: limit(3, 7), source: 'operator', isPaused: false });
});

test('a worker of a version that is not current changes nothing and says what applies', async () => {
  await deploy('current', 10);
  expect(await deploy('current', 5, false)).toEqual([{ key: 'current', brought: limit(5), applies: limit(10), source: 'deployment' }]);
  expect(await applied('current')).toMatchObject({ limit: limit(10), source: 'deployment' });
});

test('an operator who gives a setting up leaves the default in force', async () => {
  await deploy('given-up', 10);
  await saveFlowChange(base.db, { key: 'given-up', limit: limit(1) });
  expect(await saveFlowChange(base.db, { key: 'given-up', limit: null })).toEqual({ limit: limit(10), source: 'deployment', isPaused: false });
});

test('a pause and a limit are set independently of each other', async () => {
  await saveFlowChange(base.db, { key: 'paused', limit: limit(4) });
  expect(await saveFlowChange(base.db, { key: 'paused', isPaused: true })).toEqual({ limit: limit(4), source: 'operator', isPaused: true });
  expect(await saveFlowChange(base.db, { key: 'paused', limit: limit(5) })).toMatchObject({ isPaused: true });
  expect(await saveFlowChange(base.db, { key: 'paused', isPaused: false })).toEqual({ limit: limit(5), source: 'operator', isPaused: false });
});

test('a key whose limit is lifted is unlimited by order, which is not the same as without an order', async () => {
  await deploy('lifted', 10);
  expect(await saveFlowChange(base.db, { key: 'lifted', limit: NO_LIMIT })).toEqual({ limit: NO_LIMIT, source: 'operator', isPaused: false });
  expect((await listFlowSettings(base.db)).find(({ key }) => key === 'lifted')).toMatchObject({ limit: NO_LIMIT, source: 'operator' });
});
