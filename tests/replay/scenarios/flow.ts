import { expect } from 'vitest';
import { limiterWorkflowId } from '../../../packages/contracts/ids.ts';
import { chunkIdOf, played, SMALL_PLAN } from './scenario.ts';
import type { Scenario } from './scenario.ts';

/** Runs whose items are limited, and the limiter of their key. */
export const flowScenarios: readonly Scenario[] = [
  {
    keeps: ['flowControl/continued', 'pipelineChunk/paced', 'probe/paced'],
    play: async (theatre) => {
      const { rig, contract, pipelines, declare } = theatre.probes;
      const key = `${rig.taskQueue}/paced`;
      const limiter = await rig.client.workflow.start('flowControl', {
        workflowId: limiterWorkflowId(key),
        taskQueue: rig.taskQueue,
        workflowTaskTimeout: '3 seconds',
        args: [{ v: 1, key, limit: { parallelism: 2, ratePerSecond: 10 }, eventBudget: 40 }],
      });
      declare('paced', { items: 14, plan: SMALL_PLAN });
      const started = await pipelines.start(contract, { set: 'paced', flowKey: 'paced', parallelism: 2, ratePerSecond: 10 });
      expect(await pipelines.result(started)).toMatchObject({ outcome: 'completed', succeeded: 14, chunks: 4, direct: 2 });
      return [
        played(theatre, 'probe/paced', started),
        played(theatre, 'pipelineChunk/paced', { workflowId: chunkIdOf('paced', 1, 2) }),
        played(theatre, 'flowControl/continued', { workflowId: limiter.workflowId, runId: limiter.firstExecutionRunId }),
      ];
    },
  },
];
