import { expect } from 'vitest';
import type { StartInput } from '../../../packages/contracts/fields.ts';
import { failureOf } from '../../pipelines/failure-of.ts';
import { played } from './scenario.ts';
import type { Played, Scenario, Theatre } from './scenario.ts';

const ended = async (theatre: Theatre, scope: string, { input = {}, expected }: { input?: object; expected: object }): Promise<readonly Played[]> => {
  const started = await theatre.probes.start(scope, input as StartInput);
  expect(await theatre.probes.pipelines.result(started)).toMatchObject(expected);
  return [played(theatre, `probe/${scope}`, started)];
};

const failed = async (theatre: Theatre, scope: string, { input, type }: { input: unknown; type: string }): Promise<readonly Played[]> => {
  const started = await theatre.probes.startBare(`probe/${scope}`, input);
  expect(await failureOf(started.result())).toMatchObject({ type });
  return [played(theatre, `probe/${scope}`, started)];
};

/** Runs that end in their entry, before any page. */
export const entryScenarios: readonly Scenario[] = [
  {
    keeps: ['probe/dry-run'],
    play: (theatre) => {
      theatre.probes.declare('dry-run', { items: 5 });
      return ended(theatre, 'dry-run', { input: { dryRun: true }, expected: { outcome: 'dryRun', toProcess: 5, dryRun: true } });
    },
  },
  {
    keeps: ['probe/nothing-to-do'],
    play: (theatre) => ended(theatre, 'nothing-to-do', { expected: { outcome: 'nothingToDo', message: 'No eligible items found' } }),
  },
  {
    keeps: ['probe/all-processed'],
    play: async (theatre) => {
      theatre.probes.declare('all-processed', { items: 2 });
      await theatre.probes.markDone('all-processed', ['i-000001', 'i-000002']);
      return ended(theatre, 'all-processed', { expected: { outcome: 'nothingToDo', message: 'All items already processed' } });
    },
  },
  {
    keeps: ['probe/invalid-input'],
    play: (theatre) => failed(theatre, 'invalid-input', { input: { sett: 's', dry_run: true }, type: 'InvalidInput' }),
  },
  {
    keeps: ['probe/preflight-refused'],
    play: (theatre) =>
      failed(theatre, 'preflight-refused', { input: { set: 'preflight-refused', redriveOf: 'probe/nobody' }, type: 'PreflightRefused' }),
  },
  {
    keeps: ['probe/already-running'],
    play: async (theatre) => {
      const { probes } = theatre;
      const gate = Promise.withResolvers<{ readonly kind: 'done' }>();
      const busy = Promise.withResolvers<void>();
      probes.declare('busy', { items: 1, execute: () => (busy.resolve(), gate.promise) });
      const started = await probes.start('busy');
      await busy.promise;
      const refused = await failed(theatre, 'already-running', { input: { set: 'busy' }, type: 'AlreadyRunning' });
      gate.resolve({ kind: 'done' });
      await probes.pipelines.result(started);
      return refused;
    },
  },
  {
    keeps: ['unknown/unknown-type'],
    play: async ({ probes }) => {
      const { client, taskQueue } = probes.rig;
      const handle = await client.workflow.start('probee', { workflowId: 'probee/unknown-type', taskQueue, args: [{ set: 's' }] });
      expect(await failureOf(handle.result())).toMatchObject({ type: 'UnknownWorkflowType' });
      return [{ name: 'unknown/unknown-type', handle }];
    },
  },
];
