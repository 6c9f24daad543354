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
