import { sql } from '../../packages/database/drizzle.ts';
import { Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { refuse } from '../../activities/runner/failures.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { pick, readChain } from './histories.ts';
import { failureOf } from './failure-of.ts';
import { createGate } from './gate.ts';
import { createTrialRig, itemName, itemNames } from './trial.ts';
import type { TrialRig } from './trial.ts';

const NO_ROWS = { runs: 0, done: 0, failed: 0, skipped: 0, open: 0 };
let trials: TrialRig;

beforeAll(async () => {
  trials = await createTrialRig();
});

afterAll(() => trials.rig.close());

const activityTypes = async (started: { workflowId: string; runId: string }): Promise<string[]> =>
  pick(await readChain(trials.rig, started.workflowId, started.runId), 'activityTaskScheduledEventAttributes').map(
    ({ activityType }) => activityType?.name ?? '',
  );

describe('an entry that starts nothing', () => {
  test.each([[false], [true]])('E1: no eligible items, dryRun %s: nothingToDo, nothing listed', async (dryRun) => {
    const started = await trials.start(`E1-${dryRun}`, { dryRun });
    const result = await trials.pipelines.result(started);
    expect(result).toMatchObject({
      success: true,
      outcome: 'nothingToDo',
      message: 'No eligible items found',
      totalEligible: 0,
      toProcess: 0,
      alreadyProcessed: 0,
      pages: 0,
    });
    expect(result.dryRun).toBe(dryRun ? true : undefined);
    expect(await activityTypes(started)).toEqual(['probe.preflight', 'probe.countEligible']);
    expect(await trials.ledger(`E1-${dryRun}`)).toEqual(NO_ROWS);
  });

  test('E2: a dry run of 100 of which 20 are done would process 80, writes no row and runs no item', async () => {
    trials.declare('E2', { items: 100 });
    await trials.markDone('E2', itemNames(1, 20));
    const started = await trials.start('E2', { dryRun: true });
    expect(started.workflowId).toBe('probe/E2-dry-run');
    expect(await trials.pipelines.result(started)).toMatchObject({
      success: true,
      outcome: 'dryRun',
      dryRun: true,
      message: '[DryRun] Would process 80 items',
      totalEligible: 100,
      toProcess: 80,
      alreadyProcessed: 20,
      deferred: 0,
      succeeded: 0,
      pages: 0,
      chunks: 0,
      direct: 0,
    });
    expect(await activityTypes(started)).toEqual(['probe.preflight', 'probe.countEligible']);
    expect(trials.executed('E2')).toEqual([]);
    expect(await trials.ledger('E2')).toEqual({ ...NO_ROWS, done: 20 });
  });

  test('E3: all 120 done: nothing to do, and a dry run would process 0', async () => {
    trials.declare('E3', { items: 120 });
    await trials.markDone('E3', itemNames(1, 120));
    expect(await trials.run('E3')).toMatchObject({
      success: true,
      outcome: 'nothingToDo',
      message: 'All items already processed',
      totalEligible: 120,
      toProcess: 0,
      alreadyProcessed: 120,
    });
    expect(await trials.run('E3', { dryRun: true })).toMatchObject({
      outcome: 'dryRun',
      dryRun: true,
      message: '[DryRun] Would process 0 items',
      totalEligible: 120,
      toProcess: 0,
      alreadyProcessed: 120,
    });
    expect(await trials.ledger('E3')).toEqual({ ...NO_ROWS, done: 120 });
  });

  test('E9: a missing parent entity fails PreflightRefused with "Run not found" and writes no row', async () => {
    trials.declare('E9', { items: 5, preflight: () => Promise.reject(refuse('Run not found')) });
    const failure = await failureOf(trials.run('E9'));
    expect(failure).toMatchObject({ type: 'PreflightRefused', message: 'Run not found' });
    expect(await trials.ledger('E9')).toEqual(NO_ROWS);
  });
});

describe('an entry that opens a run', () => {
  test('E4: 120 of which 30 are done: 90 executions, and the log says that pagination was triggered', async () => {
    trials.declare('E4', { items: 120 });
    await trials.markDone('E4', itemNames(1, 30));
    const log = vi.spyOn(Runtime.instance().logger, 'log');
    const result = await trials.run('E4');
    expect(result).toMatchObject({
      success: true,
      outcome: 'completed',
      message: 'Processed 90 items',
      totalEligible: 120,
      toProcess: 90,
      alreadyProcessed: 30,
      succeeded: 90,
      epoch: 1,
    });
    expect(log.mock.calls.map(([, message]) => message)).toContain('[probe:process] Triggered pagination for 90 items');
    log.mockRestore();
    expect(trials.executed('E4').toSorted()).toEqual(itemNames(31, 120));
    expect(Date.parse(result.finishedAt)).toBeGreaterThanOrEqual(Date.parse(result.startedAt));
  });

  test('E5: maxItems 10 of 120 defers 110, which the next plain start takes', async () => {
    trials.declare('E5', { items: 120 });
    expect(await trials.run('E5', { maxItems: 10 })).toMatchObject({
      toProcess: 10,
      deferred: 110,
      totalEligible: 120,
      succeeded: 10,
      remaining: 0,
      pages: 1,
      direct: 10,
    });
    expect(await trials.run('E5')).toMatchObject({ toProcess: 110, deferred: 0, alreadyProcessed: 10, succeeded: 110 });
    expect(trials.executed('E5').toSorted()).toEqual(itemNames(1, 120));
  });

  test('E6: itemIds of an open, a done and an unknown item: 2/1/1, one not eligible', async () => {
    trials.declare('E6', { items: 10 });
    await trials.markDone('E6', [itemName(2)]);
    expect(await trials.run('E6', { itemIds: [itemName(1), itemName(2), 'x', itemName(1)] })).toMatchObject({
      totalEligible: 2,
      toProcess: 1,
      alreadyProcessed: 1,
      notEligible: 1,
      succeeded: 1,
    });
    expect(trials.executed('E6')).toEqual([itemName(1)]);
  });

  test('E10: 5 rows added after a run of 120 are what the next one finds: 125/5/120', async () => {
    trials.declare('E10', { items: 120 });
    expect(await trials.run('E10')).toMatchObject({ succeeded: 120 });
    trials.declare('E10', { items: 125 });
    expect(await trials.run('E10')).toMatchObject({ totalEligible: 125, toProcess: 5, alreadyProcessed: 120, succeeded: 5, direct: 5 });
    expect(await trials.ledger('E10')).toMatchObject({ done: 125, runs: 2 });
  });
});

describe('starts while a run is active', () => {
  test('E7: another request is refused without a row, the same one joins, and the active run goes on', async () => {
    const gate = createGate(5);
    trials.declare('E7', { items: 120, plan: { eventBudget: 1, maxConcurrency: 10 }, execute: gate.execute });
    const active = await trials.start('E7');
    await waitUntil({ what: 'items in flight', timeoutMs: 30_000, probe: async () => gate.waiting() > 0 });
    await expect(trials.start('E7', { maxItems: 3 })).rejects.toThrow(/probe\/E7 is already running with another request/);
    const bare = await trials.startBare('bare/E7', { set: 'E7', maxItems: 3 });
    const refused = await failureOf(bare.result());
    expect(refused.type).toBe('AlreadyRunning');
    expect(refused.details).toEqual([{ workflowId: active.workflowId, runId: active.runId, sameRequest: false }]);
    const same = await failureOf((await trials.startBare('bare/E7', { set: 'E7' })).result());
    expect(same.details).toEqual([{ workflowId: active.workflowId, runId: active.runId, sameRequest: true }]);
    expect(await trials.start('E7')).toEqual({ workflowId: active.workflowId, runId: active.runId, joined: true });
    expect(await trials.run('E7', { dryRun: true })).toMatchObject({ outcome: 'dryRun', totalEligible: 120 });
    expect(await trials.ledger('E7')).toMatchObject({ runs: 1 });
    gate.open();
    expect(await trials.pipelines.result(active)).toMatchObject({ outcome: 'completed', succeeded: 120 });
    expect(trials.executed('E7')).toHaveLength(120);
  });

  test('E8: of ten starts at once under one id one runs and nine join it', async () => {
    const gate = createGate(10);
    trials.declare('E8', { items: 120, plan: { maxConcurrency: 10 }, execute: gate.execute });
    const answers = await Promise.all(Array.from({ length: 10 }, () => trials.start('E8')));
    expect(answers.filter(({ joined }) => !joined)).toHaveLength(1);
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
    gate.open();
    expect(await trials.pipelines.result(answers[0] as (typeof answers)[0])).toMatchObject({ succeeded: 120 });
    expect(trials.executed('E8')).toHaveLength(120);
    expect(await trials.ledger('E8')).toMatchObject({ runs: 1, done: 120 });
  });

  test('E8: of ten starts at once under ten ids one runs and nine are refused', async () => {
    const gate = createGate(10);
    trials.declare('E8b', { items: 120, plan: { maxConcurrency: 10 }, execute: gate.execute });
    const started = await Promise.all(Array.from({ length: 10 }, (_, n) => trials.startBare(`bare/E8b-${n}`, { set: 'E8b' })));
    const ends = started.map(async (each) => ({ ended: await each.result().catch(() => null), each }));
    await waitUntil({
      what: 'nine refusals',
      timeoutMs: 30_000,
      probe: async () =>
        (await Promise.all(started.map(({ workflowId }) => trials.rig.client.workflow.getHandle(workflowId).describe()))).filter(
          ({ status }) => status.name === 'FAILED',
        ).length === 9,
    });
    gate.open();
    const settled = await Promise.all(ends);
    const refused = settled.filter(({ ended }) => ended === null);
    for (const { each } of refused) expect((await failureOf(each.result())).type).toBe('AlreadyRunning');
    expect(settled.flatMap(({ ended }) => (ended === null ? [] : [ended.succeeded]))).toEqual([120]);
    expect(trials.executed('E8b')).toHaveLength(120);
    expect(await trials.ledger('E8b')).toMatchObject({ runs: 1, done: 120 });
  });
});

describe('input that is refused', () => {
  test.each([
    ['B5', { maxItems: 0 }, 'maxItems', '>=1'],
    ['B5', { maxItems: -1 }, 'maxItems', '>=1'],
    ['B5', { maxItems: 1.5 }, 'maxItems', 'int'],
    ['B5', { itemIds: [] }, 'itemIds', '>=1'],
    ['B5', { itemIds: itemNames(1, 1_001) }, 'itemIds', '<=1000'],
    ['B5', { itemIds: 'a' }, 'itemIds', 'array'],
    ['B5', { itemIds: itemNames(1, 1_000).map((id) => id.padEnd(100, 'x')) }, 'itemIds', '64 KiB'],
    ['B6', { failureThreshold: {} }, 'failureThreshold', 'count'],
    ['B6', { failureThreshold: { count: 1, share: 0.5 } }, 'failureThreshold', 'count'],
    ['B6', { failureThreshold: { count: -1 } }, 'failureThreshold.count', '>=0'],
    ['B6', { failureThreshold: { share: 1.5 } }, 'failureThreshold.share', '<1'],
    ['B6', { redriveOf: 'probe/x', force: true }, 'force', 'redriveOf'],
  ] as const)('%s: a bare start fails InvalidInput, names the field and the bound, and writes no row', async (id, extra, path, bound) => {
    const set = `${id}-refused`;
    trials.declare(set, { items: 3 });
    const bare = await trials.startBare(`bare/${id}/${path}/${bound}`, { set, ...extra });
    const failure = await failureOf(bare.result());
    expect(failure.type).toBe('InvalidInput');
    expect(failure.details).toMatchObject([[{ path }]]);
    expect(failure.message).toContain(path);
    expect(failure.message).toContain(bound);
    expect(await trials.ledger(set)).toEqual(NO_ROWS);
    expect(await activityTypes(bare)).toEqual(['probe.preflight']);
  });

  test('in a hundred places with long names still fails InvalidInput, below 2 kB', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}-${'ü'.repeat(500)}`, n]));
    const failure = await failureOf((await trials.startBare('bare/many', { set: 'many', ...wrong })).result());
    expect(failure.type).toBe('InvalidInput');
    expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(1_000);
    expect(Buffer.byteLength(failure.message + JSON.stringify(failure.details))).toBeLessThan(2_000);
  });
});

describe('B9: ids with awkward characters', () => {
  const ODD = ['org/42?x=1#f', 'a%2Fb', "x'y", 'x'.repeat(300), '😀'.repeat(250)];

  test('B9: items with such ids are done once each, and summaries stay below 200 bytes', async () => {
    const items = {
      query: sql`select item_id, n as sort_key from unnest(${sql.param(ODD)}::text[]) with ordinality as u(item_id, n)`,
      sortType: 'bigint',
    } as const;
    trials.declare('B9', { items, plan: { chunkSize: 2 } });
    const started = await trials.start('B9', { itemIds: ODD });
    expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 5, failed: 0, chunks: 3, notEligible: 0 });
    expect(trials.executed('B9').toSorted()).toEqual(ODD.toSorted());
    const chain = await readChain(trials.rig, started.workflowId, started.runId);
    const chunks = await Promise.all(
      pick(chain, 'childWorkflowExecutionStartedEventAttributes').map(({ workflowExecution }) =>
        readChain(trials.rig, workflowExecution?.workflowId ?? '', workflowExecution?.runId ?? ''),
      ),
    );
    const summaries = chunks.flatMap((each) => each[0]?.events ?? []).flatMap(({ userMetadata }) => userMetadata?.summary?.data ?? []);
    expect(summaries.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...summaries.map(({ length }) => length))).toBeLessThanOrEqual(202);
  });

  test.each(ODD.map((scope, index) => [index + 1, scope] as const))(
    'B9: scope %i of this kind derives ids of at most 200 safe bytes, the original is in the memo',
    async (_index, scope) => {
      trials.declare(scope, { items: 21 });
      const started = await trials.start(scope);
      expect(await trials.pipelines.result(started)).toMatchObject({ succeeded: 21, chunks: 2 });
      const chain = await readChain(trials.rig, started.workflowId, started.runId);
      const ids = [
        started.workflowId,
        ...pick(chain, 'startChildWorkflowExecutionInitiatedEventAttributes').map(({ workflowId }) => workflowId ?? ''),
      ];
      expect(ids).toHaveLength(3);
      for (const id of ids) expect(id).toMatch(/^(?=.{1,200}$)[A-Za-z0-9._:-]+(\/[A-Za-z0-9._:-]+)+$/);
      expect((await trials.rig.client.workflow.getHandle(started.workflowId).describe()).memo).toEqual({ scope });
    },
  );
});
