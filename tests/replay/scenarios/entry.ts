import { expect } from 'vitest';
import { failureOf } from '../../pipelines/trial.ts';
import type { Scenario } from './scenario.ts';

const ended = async (scope: string, { probes }: Parameters<Scenario['play']>[0], expected: object, input = {}): ReturnType<Scenario['play']> => {
  const started = await probes.start(scope, input);
  expect(await probes.pipelines.result(started)).toMatchObject(expected);
  return [{ name: `probe/${scope}`, handle: probes.rig.client.workflow.getHandle(started.workflowId, started.runId) }];
};

const failed = async (scope: string, { probes }: Parameters<Scenario['play']>[0], input: unknown, type: string): ReturnType<Scenario['play']> => {
  const { client } = probes.rig;
  const started = await probes.startBare(`probe/${scope}`, input);
  expect(await failureOf(started.result())).toMatchObject({ type });
  return [{ name: `probe/${scope}`, handle: client.workflow.getHandle(started.workflowId, started.runId) }];
};

/** Runs that end in their entry, before any page. */
export const entryScenarios: readonly Scenario[] = [
  {
    keeps: ['probe/dry-run'],
    play: (theatre) => {
      theatre.probes.declare('dry-run', { items: 5 });
      return ended('dry-run', theatre, { outcome: 'dryRun', toProcess: 5, dryRun: true }, { dryRun: true });
    },
  },
  {
    keeps: ['probe/nothing-to-do'],
    play: (theatre) => ended('nothing-to-do', theatre, { outcome: 'nothingToDo', message: 'No eligible items found' }),
  },
  {
    keeps: ['probe/all-processed'],
    play: async (theatre) => {
      theatre.probes.declare('all-processed', { items: 2 });
      await theatre.probes.markDone('all-processed', ['i-000001', 'i-000002']);
      return ended('all-processed', theatre, { outcome: 'nothingToDo', message: 'All items already processed' });
    },
  },
  { keeps: ['probe/invalid-input'], play: (theatre) => failed('invalid-input', theatre, { sett: 's', dry_run: true }, 'InvalidInput') },
  {
    keeps: ['probe/preflight-refused'],
    play: (theatre) => failed('preflight-refused', theatre, { set: 'preflight-refused', redriveOf: 'probe/nobody' }, 'PreflightRefused'),
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
      const refused = await failed('already-running', theatre, { set: 'busy' }, 'AlreadyRunning');
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
