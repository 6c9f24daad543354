import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { itemFailure } from '../../activities/runner/failures.ts';
import type { ItemContext } from '../../activities/runner/definition.ts';
import { ITEM_FAILURES } from '../../packages/contracts/failures.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { pick, readChain } from './histories.ts';
import { failureOf } from './failure-of.ts';
import { createGate } from './gate.ts';
import { createTrialRig, itemName, itemNames } from './trial.ts';
import type { TrialRig } from './trial.ts';

let trials: TrialRig;

beforeAll(async () => {
  trials = await createTrialRig();
});

afterAll(() => trials.rig.close());

/** 120 items of which those in `failing` are refused by their provider, as long as they are in it. */
const declareFailing = (set: string, rig = trials): Set<string> => {
  const failing = new Set([7, 20, 21, 50, 51, 100, 120].map(itemName));
  const execute = async ({ itemId }: Pick<ItemContext<never>, 'itemId'>) => {
    if (failing.has(itemId)) throw itemFailure(ITEM_FAILURES.providerRefused, 'no');
    return { kind: 'done' } as const;
  };
  rig.declare(set, { items: 120, execute });
  return failing;
};

const rowsOfDone = (set: string) =>
  trials.query<{ item_id: string; token: number; finished_at: string }>(sql`
    select i.item_id, i.token, i.finished_at::text from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id
    where e.scope = ${set} and i.state = 'done' order by i.item_id`);

describe('a redrive', () => {
  test('R1: takes exactly the 7 failed items, says so in a dry run, and leaves the 113 rows untouched', async () => {
    const failing = declareFailing('R1');
    const first = await trials.run('R1');
    expect(first).toMatchObject({
      success: false,
      outcome: 'completedWithFailures',
      message: 'Processed 120 items, 7 failed',
      succeeded: 113,
      failed: 7,
      remaining: 0,
      failedItems: 'strata failures probe/R1',
    });
    const before = await rowsOfDone('R1');
    expect(before).toHaveLength(113);
    const dry = await trials.run('R1', { redriveOf: 'probe/R1', dryRun: true });
    expect(dry).toMatchObject({ outcome: 'dryRun', message: '[DryRun] Would process 7 items', totalEligible: 7, toProcess: 7 });
    expect(trials.executed('R1')).toHaveLength(120);
    const wanted = [...failing].toSorted();
    failing.clear();
    expect(await trials.run('R1', { redriveOf: 'probe/R1' })).toMatchObject({
      outcome: 'completed',
      succeeded: 7,
      failed: 0,
      totalEligible: 7,
      toProcess: 7,
      alreadyProcessed: 0,
      epoch: 1,
    });
    expect(trials.executed('R1').slice(120).toSorted()).toEqual(wanted);
    const after = await rowsOfDone('R1');
    expect(after.filter(({ item_id }) => !wanted.includes(item_id))).toEqual(before);
    expect(await trials.ledger('R1')).toMatchObject({ done: 120, failed: 0 });
  });

  test('R2: of which 2 fail again leaves 2, and the next takes these 2', async () => {
    const failing = declareFailing('R2');
    await trials.run('R2');
    for (const itemId of [7, 20, 21, 50, 51].map(itemName)) failing.delete(itemId);
    expect(await trials.run('R2', { redriveOf: 'probe/R2' })).toMatchObject({ outcome: 'completedWithFailures', succeeded: 5, failed: 2 });
    failing.clear();
    expect(await trials.run('R2', { redriveOf: 'probe/R2' })).toMatchObject({ outcome: 'completed', succeeded: 2, totalEligible: 2 });
    expect(trials.executed('R2').slice(127).toSorted()).toEqual([itemName(100), itemName(120)]);
    expect(await trials.run('R2', { redriveOf: 'probe/R2' })).toMatchObject({ outcome: 'nothingToDo', message: 'No failed items to redrive' });
  });

  test('R2: of more items than a page walks them all, in the same epoch, while items fail again behind it', async () => {
    trials.declare('R2b', { items: 120, execute: () => Promise.reject(itemFailure(ITEM_FAILURES.providerRefused, 'no')) });
    expect(await trials.run('R2b')).toMatchObject({ failed: 120 });
    expect(await trials.run('R2b', { redriveOf: 'probe/R2b' })).toMatchObject({ failed: 120, succeeded: 0, pages: 3, toProcess: 120 });
    expect(trials.executed('R2b').slice(120).toSorted()).toEqual(itemNames(1, 120));
    trials.declare('R2b', { items: 120 });
    expect(await trials.run('R2b', { redriveOf: 'probe/R2b' })).toMatchObject({ failed: 0, succeeded: 120, epoch: 1 });
  });

  test('R3: of a run without failures has nothing to do', async () => {
    trials.declare('R3', { items: 5 });
    await trials.run('R3');
    expect(await trials.run('R3', { redriveOf: 'probe/R3' })).toMatchObject({
      success: true,
      outcome: 'nothingToDo',
      message: 'No failed items to redrive',
      toProcess: 0,
    });
  });

  test('R3: of an unknown run, or one of another scope, is refused', async () => {
    expect(await failureOf(trials.run('R3', { redriveOf: 'probe/nobody' }))).toMatchObject({
      type: 'PreflightRefused',
      message: expect.stringContaining('probe/nobody'),
    });
    expect(await failureOf(trials.run('R3c', { redriveOf: 'probe/R3' }))).toMatchObject({ type: 'PreflightRefused' });
  });

  test('R3: of an active run is refused as AlreadyRunning', async () => {
    const gate = createGate(0);
    trials.declare('R3b', { items: 3, execute: gate.execute });
    const active = await trials.start('R3b');
    await waitUntil({ what: 'items in flight', timeoutMs: 30_000, probe: async () => gate.waiting() === 3 });
    const bare = await trials.startBare('bare/R3b', { set: 'R3b', redriveOf: 'probe/R3b' });
    expect(await failureOf(bare.result())).toMatchObject({
      type: 'AlreadyRunning',
      details: [{ workflowId: 'probe/R3b', runId: active.runId, sameRequest: false }],
    });
    gate.open();
    expect(await trials.pipelines.result(active)).toMatchObject({ succeeded: 3 });
  });
});

describe('failed items in the next plain run', () => {
  test('R4: are taken again by the next run, 120/7/113, until three runs have failed, and then only by a redrive', async () => {
    const failing = declareFailing('R4');
    expect(await trials.run('R4')).toMatchObject({ totalEligible: 120, toProcess: 120, failed: 7 });
    for (const run of [2, 3]) {
      expect(await trials.run('R4')).toMatchObject({ totalEligible: 120, toProcess: 7, alreadyProcessed: 113, failed: 7 });
      expect(trials.executed('R4')).toHaveLength(120 + 7 * (run - 1));
    }
    expect(await trials.run('R4')).toMatchObject({
      outcome: 'nothingToDo',
      message: 'All items already processed',
      totalEligible: 120,
      toProcess: 0,
      alreadyProcessed: 120,
    });
    failing.clear();
    expect(await trials.run('R4')).toMatchObject({ outcome: 'nothingToDo', toProcess: 0 });
    expect(await trials.run('R4', { redriveOf: 'probe/R4' })).toMatchObject({ outcome: 'completed', succeeded: 7 });
    expect(await trials.ledger('R4')).toMatchObject({ done: 120, failed: 0 });
  });

  test('R4: succeed in the second run and count there', async () => {
    const failing = declareFailing('R4b');
    await trials.run('R4b');
    failing.clear();
    expect(await trials.run('R4b')).toMatchObject({ outcome: 'completed', succeeded: 7, alreadyProcessed: 113 });
  });

  test('R4: count as processed where the contract leaves them to a redrive', async () => {
    const strict = await createTrialRig({ retryFailed: 'redrive' });
    try {
      const failing = declareFailing('R4c', strict);
      expect(await strict.run('R4c')).toMatchObject({ failed: 7 });
      expect(await strict.run('R4c')).toMatchObject({ outcome: 'nothingToDo', totalEligible: 120, toProcess: 0, alreadyProcessed: 120 });
      failing.clear();
      expect(await strict.run('R4c', { redriveOf: 'probe/R4c' })).toMatchObject({ outcome: 'completed', succeeded: 7 });
    } finally {
      await strict.rig.close();
    }
  });
});

describe('force', () => {
  test('R5: opens epoch 2 and executes all 120 again, under chunk ids of that epoch', async () => {
    trials.declare('R5', { items: 120 });
    expect(await trials.run('R5')).toMatchObject({ epoch: 1, succeeded: 120 });
    const started = await trials.start('R5', { force: true });
    expect(await trials.pipelines.result(started)).toMatchObject({
      epoch: 2,
      totalEligible: 120,
      toProcess: 120,
      alreadyProcessed: 0,
      succeeded: 120,
    });
    expect(trials.executed('R5')).toHaveLength(240);
    const children = pick(await readChain(trials.rig, started.workflowId, started.runId), 'startChildWorkflowExecutionInitiatedEventAttributes');
    expect(children).toHaveLength(6);
    for (const { workflowId } of children) expect(workflowId).toMatch(/^probe\/R5\/e2\/\d\/\d$/);
    expect(await trials.run('R5')).toMatchObject({ outcome: 'nothingToDo', epoch: 2, alreadyProcessed: 120 });
  });

  test('R5: in a dry run counts all 120 and opens nothing', async () => {
    trials.declare('R5b', { items: 120 });
    await trials.markDone('R5b', itemNames(1, 120));
    expect(await trials.run('R5b', { force: true, dryRun: true })).toMatchObject({
      outcome: 'dryRun',
      message: '[DryRun] Would process 120 items',
      toProcess: 120,
      alreadyProcessed: 0,
    });
    const [epochs] = await trials.query<{ count: number }>(sql`select count(*)::int as count from pipeline_epochs where scope = 'R5b'`);
    expect(epochs?.count).toBe(1);
  });
});
