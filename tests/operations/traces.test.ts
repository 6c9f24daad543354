import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { traceIdOfRun } from '../../packages/contracts/traces.ts';
import { startTracing } from '../../packages/observability/tracing.ts';
import { seedProbe } from '../../packages/database/probe-store.ts';
import { startOtlpReceiver } from '../../packages/testing/otlp-receiver.ts';
import type { OtlpReceiver, ReceivedSpan } from '../../packages/testing/otlp-receiver.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { runStrata } from '../../packages/testing/strata-process.ts';
import { rigEnv, startWorkerProcess } from '../../packages/testing/worker-process.ts';
import { readChain } from '../pipelines/histories.ts';
import { createTrialRig } from '../pipelines/trial.ts';
import { createTemporalCli } from '../support/temporal-cli.ts';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver.close());

const named = (spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] => spans.filter((span) => span.name === name);

/** Spans as `parent > child`, each kind once, with how often it was seen. */
const tree = (spans: readonly ReceivedSpan[]): Record<string, number> => {
  const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const edges = spans.map(({ name, parentSpanId }) => (parentSpanId === '' ? name : `${nameOf.get(parentSpanId) ?? 'unknown'} > ${name}`));
  return Object.fromEntries([...new Set(edges)].sort().map((edge) => [edge, edges.filter((each) => each === edge).length]));
};

describe('a run that is started by a process which traces', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await createRig({ workers: 0 });
  });
  afterAll(() => rig.close());

  const start = async (set: string, more: object): Promise<{ workflowId: string; runId: string }> => {
    await seedProbe(rig.db, { set, items: 6, sleepMs: 5, failEvery: null, failTimes: null });
    const env = { ...rigEnv(rig), OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
    const input = JSON.stringify({ set, ...more });
    const { code, stdout, stderr } = await runStrata(['run', 'probe', '--json', '--wait', '--queue', rig.taskQueue, '--input', input], env);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as { workflowId: string; runId: string };
  };

  test('is one trace from the start through chunks to items, over the processes that take part', async () => {
    const worker = await startWorkerProcess(rig, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
    const started = await start('item', { pageSize: 6, chunkSize: 3 });
    const sliced = await start('slice', { pageSize: 6, chunkSize: 3, dispatch: 'slice' });
    worker.kill('SIGTERM');
    await worker.exited;

    const spans = await receiver.waitFor('strata.finalize', 2);
    const root = named(spans, 'strata.start').find(({ attributes }) => attributes['strata.run_id'] === started.runId);
    const trace = spans.filter(({ traceId }) => traceId === root?.traceId);
    const steps = { 'strata.start': 1, 'strata.start > strata.count': 1, 'strata.start > strata.finalize': 1, 'strata.start > strata.page': 1 };
    const whole = { ...steps, 'strata.chunk > strata.item': 6, 'strata.start > strata.chunk': 2, 'strata.start > strata.preflight': 1 };
    expect(tree(trace)).toEqual(whole);
    expect(new Set(trace.map(({ service, name }) => `${service} ${name === 'strata.start'}`))).toEqual(
      new Set(['strata-cli true', 'strata-worker false']),
    );

    const other = spans.filter(({ attributes }) => attributes['strata.run_id'] === sliced.runId);
    expect(new Set(other.map(({ traceId }) => traceId)).size).toBe(1);
    expect(tree(other)).toEqual(whole);
    expect(spans).toHaveLength(trace.length + other.length);

    for (const span of trace) expect(span.attributes).toMatchObject({ 'strata.pipeline': 'probe', 'strata.run_id': started.runId });
    const itemIds = named(trace, 'strata.item').map(({ attributes }) => attributes['strata.item_id']);
    expect(new Set(itemIds)).toEqual(new Set(Array.from({ length: 6 }, (_, index) => `item-000000${index + 1}`)));
    const [item] = named(trace, 'strata.item');
    expect(item?.attributes).toMatchObject({ 'strata.layer': 'execute', 'strata.attempt': '1', 'strata.outcome': 'done' });
    expect(item?.durationMs).toBeGreaterThanOrEqual(4);
    for (const chunk of named(trace, 'strata.chunk')) {
      expect(chunk.attributes['strata.items']).toBe('3');
      const items = named(trace, 'strata.item').filter(({ parentSpanId }) => parentSpanId === chunk.spanId);
      expect(items).toHaveLength(3);
    }
  });
});

describe('a worker that traces', () => {
  test('keeps one trace over continue-as-new, tells failed attempts, and takes a trace from the Temporal CLI', async () => {
    const tracing = await startTracing({
      serviceName: 'in-process',
      url: `${receiver.endpoint}/v1/traces`,
      sampling: { share: 1, isParentBased: true },
    });
    const trial = await createTrialRig();
    const { temporalBinary, temporalAddress } = inject('strata');
    const temporal = createTemporalCli({ binary: temporalBinary, address: temporalAddress, namespace: trial.rig.namespace });
    const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    try {
      trial.declare('long', {
        items: 40,
        plan: { pageSize: 10, chunkSize: 5, eventBudget: 40, chunksInFlight: 2, pagesAhead: 1 },
        execute: async ({ itemId, attempt }) => {
          if (itemId === 'i-000001' && attempt === 1) throw new Error('once');
          return { kind: 'done' };
        },
      });
      const carrier = JSON.stringify({ traceparent: `00-${traceId}-${spanId}-01` });
      const startBare = (set: string, ...more: readonly string[]): Promise<string> => {
        const words = ['workflow', 'start', '--type', 'probe', '--task-queue', trial.rig.taskQueue, '--workflow-id', `probe/${set}`];
        return temporal(...words, '--task-timeout', '3s', '--input', JSON.stringify({ set }), ...more);
      };
      await startBare('long', '--headers', `_tracer-data=${carrier}`);
      const handle = trial.rig.client.workflow.getHandle('probe/long');
      await handle.result();
      const { raw } = await handle.describe();
      const chain = await readChain(trial.rig, 'probe/long', raw.workflowExecutionInfo?.firstRunId ?? '');
      expect(chain.length).toBeGreaterThan(1);

      trial.declare('bare', { items: 3 });
      await startBare('bare');
      const bare = trial.rig.client.workflow.getHandle('probe/bare');
      await bare.result();
      const { runId } = await bare.describe();
      await tracing.stop();
      const spans = receiver.spans().filter((span) => span.traceId === traceId);
      const { 'unknown > strata.page': pages, ...rest } = tree(spans);
      // A page that was listed ahead is listed again by the next run of the chain.
      expect(pages).toBeGreaterThanOrEqual(4);
      expect(rest).toEqual({
        'unknown > strata.count': 1,
        'unknown > strata.finalize': 1,
        'unknown > strata.preflight': 1,
        'unknown > strata.chunk': 8,
        'strata.chunk > strata.item': 41,
      });
      const told = spans.filter(({ name }) => name !== 'strata.item');
      expect(new Set(told.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([spanId]));
      const failed = named(spans, 'strata.item').filter(({ isError }) => isError);
      expect(failed.map(({ attributes }) => attributes)).toMatchObject([
        { 'strata.item_id': 'i-000001', 'strata.attempt': '1', 'error.type': 'Error' },
      ]);

      const own = receiver.spans().filter((span) => span.traceId === traceIdOfRun(runId));
      expect(tree(own)).toEqual({ 'strata.preflight': 1, 'strata.count': 1, 'strata.page': 1, 'strata.item': 3, 'strata.finalize': 1 });
    } finally {
      await tracing.stop();
      await trial.rig.close();
    }
  });
});

test('a start from a process that does not trace leaves nothing of a trace in the history', async () => {
  const trial = await createTrialRig();
  try {
    trial.declare('plain', { items: 6, plan: { pageSize: 6, chunkSize: 3 } });
    const started = await trial.start('plain');
    await trial.pipelines.result(started);
    const [run] = await readChain(trial.rig, started.workflowId, started.runId);
    expect(JSON.stringify(run?.events)).not.toContain('_tracer-data');
  } finally {
    await trial.rig.close();
  }
});
