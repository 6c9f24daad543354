import { randomUUID } from 'node:crypto';
import { sql } from '../../packages/database/drizzle.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { pick, readChain } from './histories.ts';
import { failureOf } from './failure-of.ts';
import { createGate } from './gate.ts';
import { createTrialRig } from './trial.ts';
import type { Gate } from './gate.ts';
import type { TrialRig } from './trial.ts';

let trials: TrialRig;

beforeAll(async () => {
  trials = await createTrialRig();
  await trials.rig.db.execute(sql`create table trial_ends (trial_set text, item_id text)`);
});

afterAll(() => trials.rig.close());

/** 120 items that each leave one row when they end, in the transaction of their done row; all but the first 10 wait for the gate, ten at a time. */
const declareHeld = (set: string): Gate => {
  const gate = createGate(10);
  trials.declare(set, {
    items: 120,
    plan: { maxConcurrency: 10 },
    execute: async (context) => {
      await gate.execute(context);
      return { kind: 'done', write: async (tx) => void (await tx.execute(sql`insert into trial_ends values (${set}, ${context.itemId})`)) };
    },
  });
  return gate;
};

const begin = async (set: string, gate: Gate): Promise<{ workflowId: string; runId: string }> => {
  const started = await trials.start(set);
  await waitUntil({ what: 'items in flight', timeoutMs: 30_000, probe: async () => gate.waiting() > 5 });
  return started;
};

const expectEachEndedOnce = async (set: string): Promise<void> => {
  const [ends] = await trials.query<{ all: number; different: number }>(
    sql`select count(*)::int as all, count(distinct item_id)::int as different from trial_ends where trial_set = ${set}`,
  );
  expect(ends).toEqual({ all: 120, different: 120 });
  expect(await trials.ledger(set)).toMatchObject({ done: 120, failed: 0, open: 0 });
};

const outcomesOf = async (set: string): Promise<(string | null)[]> =>
  (await trials.query<{ outcome: string | null }>(sql`select outcome from pipeline_runs where scope = ${set} order by id`)).map(
    ({ outcome }) => outcome,
  );

const reset = async ({ workflowId, runId }: { workflowId: string; runId: string }, workflowTaskFinishEventId: Long): Promise<string> => {
  const answer = await trials.rig.client.workflowService.resetWorkflowExecution({
    namespace: trials.rig.namespace,
    workflowExecution: { workflowId, runId },
    reason: 'trial',
    requestId: randomUUID(),
    workflowTaskFinishEventId,
  });
  return answer.runId ?? '';
};

type Long = NonNullable<Parameters<TrialRig['rig']['client']['workflowService']['resetWorkflowExecution']>[0]['workflowTaskFinishEventId']>;

const taskEvents = async ({ workflowId, runId }: { workflowId: string; runId: string }): Promise<Long[]> =>
  (await readChain(trials.rig, workflowId, runId)).flatMap(({ events }) =>
    events.flatMap(({ workflowTaskCompletedEventAttributes, eventId }) => (workflowTaskCompletedEventAttributes && eventId ? [eventId] : [])),
  );

describe('an active run whose owner is gone', () => {
  test('terminated: the next start takes the row over, and every item ends exactly once', async () => {
    const gate = declareHeld('terminated');
    const first = await begin('terminated', gate);
    await trials.rig.client.workflow.getHandle(first.workflowId).terminate('trial');
    gate.open();
    expect(await trials.run('terminated')).toMatchObject({ outcome: 'completed', totalEligible: 120, remaining: 0 });
    expect(await outcomesOf('terminated')).toEqual(['terminated', 'completed']);
    await expectEachEndedOnce('terminated');
  });

  test('terminated: a start under another id takes the row over, too', async () => {
    const gate = declareHeld('terminated-2');
    const first = await begin('terminated-2', gate);
    await trials.rig.client.workflow.getHandle(first.workflowId).terminate('trial');
    gate.open();
    const next = await trials.startBare('bare/terminated-2', { set: 'terminated-2' });
    expect(await next.result()).toMatchObject({ outcome: 'completed', totalEligible: 120, remaining: 0 });
    await expectEachEndedOnce('terminated-2');
  });

  test('deleted: the next start takes the row over, and every item ends exactly once', async () => {
    const gate = declareHeld('deleted');
    const { workflowId, runId } = await begin('deleted', gate);
    await trials.rig.client.workflowService.deleteWorkflowExecution({ namespace: trials.rig.namespace, workflowExecution: { workflowId, runId } });
    await waitUntil({
      what: 'the deletion',
      timeoutMs: 30_000,
      probe: () =>
        trials.rig.client.workflow
          .getHandle(workflowId)
          .describe()
          .then(
            () => false,
            () => true,
          ),
    });
    gate.open();
    expect(await trials.run('deleted')).toMatchObject({ outcome: 'completed', totalEligible: 120, remaining: 0 });
    expect(await outcomesOf('deleted')).toEqual(['terminated', 'completed']);
    await expectEachEndedOnce('deleted');
  });
});

describe('an owner that was reset is the same run', () => {
  test.each([
    ['to its first task', 'reset-first', (events: readonly Long[]) => events[0]],
    ['to the middle of its pages', 'reset-late', (events: readonly Long[]) => events.at(-2)],
  ])('%s: it goes on under its row, others are refused, and every item ends exactly once', async (_where, set, choose) => {
    const gate = declareHeld(set);
    const first = await begin(set, gate);
    const runId = await reset(first, choose(await taskEvents(first)) as Long);
    const other = await trials.startBare(`bare/${set}`, { set });
    expect(await failureOf(other.result())).toMatchObject({ type: 'AlreadyRunning', details: [{ workflowId: first.workflowId }] });
    gate.open();
    const result = await trials.pipelines.result({ workflowId: first.workflowId, runId });
    expect(Object.keys(result)).not.toContain('input');
    expect(result).toMatchObject({ outcome: 'completed', succeeded: 120, failed: 0, interrupted: 0, remaining: 0, totalEligible: 120 });
    expect(await outcomesOf(set)).toEqual(['completed']);
    await expectEachEndedOnce(set);
  });
});

describe('a chunk that somebody else stopped', () => {
  test.each([
    ['cancelled', (workflowId: string) => trials.rig.client.workflow.getHandle(workflowId).cancel()],
    ['terminated', (workflowId: string) => trials.rig.client.workflow.getHandle(workflowId).terminate('trial')],
  ])('%s: is started again, and every item ends exactly once', async (how, stop) => {
    const set = `chunk-${how}`;
    const gate = declareHeld(set);
    const started = await begin(set, gate);
    await stop(`probe/${set}/e1/1/3`);
    await waitUntil({
      what: 'the second start of the chunk',
      timeoutMs: 30_000,
      probe: async () =>
        pick(await readChain(trials.rig, started.workflowId, started.runId), 'childWorkflowExecutionStartedEventAttributes').filter(
          ({ workflowExecution }) => workflowExecution?.workflowId === `probe/${set}/e1/1/3`,
        ).length === 2,
    });
    gate.open();
    expect(await trials.pipelines.result(started)).toMatchObject({ outcome: 'completed', succeeded: 120, interrupted: 0, skipped: 0, remaining: 0 });
    await expectEachEndedOnce(set);
  });
});
