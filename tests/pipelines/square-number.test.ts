import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StartInput } from '../../packages/contracts/fields.ts';
import { squareNumberContract } from '../../packages/contracts/square-number.ts';
import { readRows } from '../../packages/database/database.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

let rig: Rig;
let pipelines: PipelineClient;

beforeAll(async () => {
  rig = await createRig();
  pipelines = createPipelineClient(rig);
});

afterAll(() => rig.close());

const run = async (input: StartInput) => pipelines.result(await pipelines.start(squareNumberContract, input));
const readItems = () => readRows(rig.db, sql`select item_id as id, state, result, error from pipeline_items order by item_id`);

test('a dry run counts the numbers and writes nothing', async () => {
  const result = await run({ name: 'dry', upTo: 120, dryRun: true });
  expect(result).toMatchObject({
    outcome: 'dryRun',
    message: '[DryRun] Would square 120 numbers',
    totalEligible: 120,
    toProcess: 120,
    alreadyProcessed: 0,
  });
  expect(await readItems()).toEqual([]);
});

test('a run squares each number, skips 1, fails a square that is too large and tells of each that is done', async () => {
  const listener = await rig.pool.connect();
  const heard: (string | undefined)[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload));
  await listener.query('listen "square-number"');

  const result = await run({ name: 'five', upTo: 5, largestSquare: 20 });
  expect(result).toMatchObject({
    outcome: 'completedWithFailures',
    message: 'Squared 5 numbers, 1 failed',
    succeeded: 3,
    skipped: 1,
    failed: 1,
    remaining: 0,
  });
  expect(await readItems()).toMatchObject([
    { id: '1', state: 'skipped', result: null },
    { id: '2', state: 'done', result: { square: 4 } },
    { id: '3', state: 'done', result: { square: 9 } },
    { id: '4', state: 'done', result: { square: 16 } },
    { id: '5', state: 'failed', error: '25 is more than 20' },
  ]);
  // An answer comes after every notification that was sent before it.
  await listener.query('unlisten *');
  listener.release();
  expect(heard).toHaveLength(4);
  expect(heard).toEqual(expect.arrayContaining(['2', '3', '4', 'five completedWithFailures']));
});

test('a second run finds every number processed', async () => {
  await run({ name: 'twice', upTo: 25 });
  expect(await run({ name: 'twice', upTo: 25 })).toMatchObject({ outcome: 'nothingToDo', toProcess: 0, alreadyProcessed: 25 });
});

test('a run that could square nothing is refused', async () => {
  await expect(run({ name: 'small', upTo: 5, largestSquare: 3 })).rejects.toMatchObject({ cause: { type: 'PreflightRefused' } });
});
