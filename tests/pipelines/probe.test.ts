import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeContract } from '../../packages/contracts/probe.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import { readProbeReport, seedProbe } from '../../packages/database/probe-store.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

const contract = probeContract as unknown as PipelineContract;
let rig: Rig;
let pipelines: PipelineClient;

beforeAll(async () => {
  rig = await createRig();
  pipelines = createPipelineClient(rig);
});

afterAll(() => rig.close());

const seed = (set: string, items: number): Promise<void> => seedProbe(rig.db, { set, items, sleepMs: 0, failEvery: null, failTimes: null });

describe('a run of open items', () => {
  test.each([
    ['P1', 0, 0, 0, 0],
    ['P2', 1, 1, 0, 1],
    ['P3', 20, 1, 0, 20],
    ['P4', 21, 1, 2, 0],
    ['P5', 50, 1, 3, 0],
    ['P6', 51, 2, 3, 1],
    ['P7', 70, 2, 3, 20],
    ['P8', 71, 2, 5, 0],
    ['P9', 100, 2, 6, 0],
    ['P10', 120, 3, 6, 20],
    ['P11', 1_000, 20, 60, 0],
  ])('%s: %i items are %i pages, %i chunk children and %i direct items, each executed once', async (id, items, pages, chunks, direct) => {
    await seed(id, items);
    const started = await pipelines.start(contract, { set: id });
    const result = await pipelines.result(started);
    const report = await readProbeReport(rig.db, id);
    expect(result).toMatchObject({ pages, chunks, direct, succeeded: items, failed: 0, skipped: 0, remaining: 0 });
    expect(report).toMatchObject({ items, done: items, executions: items, duplicates: 0 });
  });
});

describe("commit: 'transaction'", () => {
  test.each(['item', 'slice'])('an execution is recorded with its done row, once each, dispatch %s', async (dispatch) => {
    const set = `together-${dispatch}`;
    await seed(set, 60);
    const result = await pipelines.result(await pipelines.start(contract, { set, dispatch, commit: 'transaction' }));
    expect(result).toMatchObject({ outcome: 'completed', succeeded: 60 });
    expect(await readProbeReport(rig.db, set)).toMatchObject({ done: 60, executions: 60, duplicates: 0 });
    const { rows } = await rig.pool.query<{ transactions: string }>(
      `select count(distinct (x.xmin::text, i.xmin::text)) as transactions from probe_executions x join pipeline_items i using (item_id)
       join pipeline_epochs e on e.id = i.epoch_id where x.probe_set = $1 and e.scope = $1 and x.xmin = i.xmin`,
      [set],
    );
    expect(rows[0]?.transactions).toBe('60');
  });

  test('an item that takes time records its end with its done row, and a failed attempt without one', async () => {
    await seedProbe(rig.db, { set: 'slow-together', items: 4, sleepMs: 20, failEvery: 2, failTimes: 1 });
    const result = await pipelines.result(await pipelines.start(contract, { set: 'slow-together', commit: 'transaction' }));
    expect(result).toMatchObject({ outcome: 'completed', succeeded: 4 });
    const { rows } = await rig.pool.query<{ succeeded: boolean; executions: string; together: string }>(
      `select x.succeeded, count(*) as executions, count(*) filter (where x.xmin = i.xmin) as together
       from probe_executions x join pipeline_items i using (item_id) join pipeline_epochs e on e.id = i.epoch_id
       where x.probe_set = 'slow-together' and e.scope = 'slow-together' group by x.succeeded order by x.succeeded`,
    );
    expect(rows).toEqual([
      { succeeded: false, executions: '2', together: '0' },
      { succeeded: true, executions: '4', together: '4' },
    ]);
  });
});
