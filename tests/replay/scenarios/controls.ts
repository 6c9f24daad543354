import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { expect } from 'vitest';
import type { ItemOutcome } from '../../../activities/runner/definition.ts';
import { waitUntil } from '../../../packages/runtime/wait-until.ts';
import { readChain } from '../../pipelines/histories.ts';
import { chunkIdOf, played, SMALL_PLAN } from './scenario.ts';
import type { Played, Scenario, Theatre } from './scenario.ts';

const DONE: ItemOutcome = { kind: 'done' };

/** Starts a run of nine items, of which the first four end and the others wait until they are told to stop. */
const startHeld = async ({ probes }: Theatre, scope: string): Promise<{ workflowId: string; runId: string }> => {
  const free = 4;
  probes.declare(scope, {
    items: 9,
    plan: { ...SMALL_PLAN, maxConcurrency: 4 },
    execute: async ({ signal }) => {
      if (probes.executed(scope).length > free)
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
      return DONE;
    },
  });
  const started = await probes.start(scope);
  await waitUntil({ what: `items of ${scope} in flight`, timeoutMs: 30_000, probe: async () => probes.executed(scope).length > free });
  return started;
};

/** Chunk children of a scope that the first page began. */
const firstChunk = (theatre: Theatre, scope: string, name: string): Played =>
  played(theatre, `pipelineChunk/${name}`, { workflowId: chunkIdOf(scope, 1, 2) });

const playAbort: Scenario['play'] = async (theatre) => {
  const { pipelines } = theatre.probes;
  const started = await startHeld(theatre, 'abort');
  expect(await pipelines.control('abort', started.workflowId, 'enough')).toMatchObject({ accepted: true });
  expect(await pipelines.result(started)).toMatchObject({ outcome: 'aborted', cancelled: true, failed: 0 });
  return [played(theatre, 'probe/abort', started), firstChunk(theatre, 'abort', 'aborted')];
};

const playEarlyAbort: Scenario['play'] = async (theatre) => {
  const { probes } = theatre;
  const isHere = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  probes.declare('abort-before-count', { items: 3, preflight: () => (isHere.resolve(), gate.promise) });
  const started = await probes.start('abort-before-count');
  await isHere.promise;
  await probes.pipelines.control('abort', started.workflowId);
  gate.resolve();
  expect(await probes.pipelines.result(started)).toMatchObject({ outcome: 'aborted', succeeded: 0 });
  return [played(theatre, 'probe/abort-before-count', started)];
};

const playCancel: Scenario['play'] = async (theatre) => {
  const { probes } = theatre;
  const started = await startHeld(theatre, 'cancel');
  await probes.rig.client.workflow.getHandle(started.workflowId).cancel();
  const error = await probes.pipelines.result(started).catch((failed: unknown) => failed);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  return [played(theatre, 'probe/cancel', started), firstChunk(theatre, 'cancel', 'cancelled')];
};

const playPause: Scenario['play'] = async (theatre) => {
  const { probes } = theatre;
  const scope = 'pause-resume';
  const gate = Promise.withResolvers<ItemOutcome>();
  probes.declare(scope, {
    items: 9,
    plan: { ...SMALL_PLAN, maxConcurrency: 4 },
    execute: async () => (probes.executed(scope).length > 1 ? gate.promise : DONE),
  });
  const started = await probes.start(scope);
  await waitUntil({ what: 'items in flight', timeoutMs: 30_000, probe: async () => probes.executed(scope).length > 3 });
  expect(await probes.pipelines.control('pause', started.workflowId)).toMatchObject({ accepted: true, state: 'paused' });
  const { client } = probes.rig;
  const chunks = [1, 2].map((chunk) => client.workflow.getHandle(chunkIdOf(scope, 1, chunk)));
  const isTold = async (): Promise<boolean> => {
    const histories = await Promise.all(chunks.map((chunk) => chunk.fetchHistory()));
    return histories.every(({ events }) => events?.some(({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === 'pause'));
  };
  await waitUntil({ what: 'both chunks told to pause', timeoutMs: 30_000, probe: isTold });
  gate.resolve(DONE);
  const isStill = async (): Promise<boolean> => (await probes.ledger(scope)).done === probes.executed(scope).length;
  await waitUntil({ what: 'nothing in flight', timeoutMs: 30_000, probe: isStill });
  expect(probes.executed(scope).length).toBeLessThan(9);
  await probes.pipelines.control('resume', started.workflowId);
  expect(await probes.pipelines.result(started)).toMatchObject({ outcome: 'completed', succeeded: 9 });
  return [played(theatre, `probe/${scope}`, started), firstChunk(theatre, scope, 'paused')];
};

const playRenewal: Scenario['play'] = async (theatre) => {
  const { probes } = theatre;
  probes.declare('renewal', { items: 22, plan: { ...SMALL_PLAN, pagesAhead: 1, chunksInFlight: 2, maxConcurrency: 4, eventBudget: 25 } });
  const started = await probes.start('renewal', { maxItems: 20 });
  expect(await probes.pipelines.result(started)).toMatchObject({ outcome: 'completed', succeeded: 20, pages: 4 });
  const chain = await readChain(probes.rig, started.workflowId, started.runId);
  expect(chain.length).toBeGreaterThan(2);
  const [first, second, last] = [chain[0], chain[1], chain.at(-1)].map((run) => run?.runId);
  return [
    played(theatre, 'probe/continues-as-new', { ...started, runId: first }),
    played(theatre, 'probe/continued-and-continues', { ...started, runId: second }),
    played(theatre, 'probe/continued-to-its-end', { ...started, runId: last }),
  ];
};

/** Runs that somebody or their own length interrupts. */
export const controlScenarios: readonly Scenario[] = [
  { keeps: ['probe/abort', 'pipelineChunk/aborted'], play: playAbort },
  { keeps: ['probe/abort-before-count'], play: playEarlyAbort },
  { keeps: ['probe/cancel', 'pipelineChunk/cancelled'], play: playCancel },
  { keeps: ['probe/pause-resume', 'pipelineChunk/paused'], play: playPause },
  { keeps: ['probe/continues-as-new', 'probe/continued-and-continues', 'probe/continued-to-its-end'], play: playRenewal },
];
