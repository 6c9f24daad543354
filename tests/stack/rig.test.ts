import { WorkflowFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { afterEach, describe, expect, test } from 'vitest';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

describe('the rig', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    const last = rig;
    rig = undefined;
    await last?.close();
  });

  test('hands out a migrated database of its own in UTC', async () => {
    rig = await createRig({ workers: 0 });
    const { rows } = await rig.pool.query(
      "select current_setting('TimeZone') as zone, count(*)::int as tables from pg_tables where schemaname = 'public'",
    );
    expect(rows[0].zone).toBe('UTC');
    expect(rows[0].tables).toBeGreaterThan(3);
  });

  test('a workflow type that nobody registered fails and lists the known ones', async () => {
    rig = await createRig();
    const failed = await rig.client.workflow
      .execute('agentEvalRunn', { workflowId: `${rig.taskQueue}/unknown`, taskQueue: rig.taskQueue })
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(WorkflowFailedError);
    const cause = (failed as WorkflowFailedError).cause as ApplicationFailure;
    expect(cause.type).toBe('UnknownWorkflowType');
    expect(cause.message).toMatch(/"agentEvalRunn".*known types:/);
  });

  test('work of one queue goes on when one of two workers stops', async () => {
    rig = await createRig({ workers: 2 });
    const third = await rig.startWorker();
    await third.stop();
    await expect(rig.client.workflow.execute('nobody', { workflowId: `${rig.taskQueue}/two`, taskQueue: rig.taskQueue })).rejects.toThrow(
      'Workflow execution failed',
    );
  });
});
