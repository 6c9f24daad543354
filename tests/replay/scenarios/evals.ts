import { expect } from 'vitest';
import type { ImportedCase } from '../../../packages/contracts/eval-case.ts';
import { importBenchmark } from '../../../packages/database/eval-benchmarks.ts';
import { createEvalRun } from '../../../packages/database/eval-runs.ts';
import { failureOf } from '../../pipelines/failure-of.ts';
import type { Scenario, Theatre } from './scenario.ts';

async function* sums(count: number): AsyncGenerator<{ line: number; case: ImportedCase }> {
  for (let n = 1; n <= count; n++) {
    const content = `What is ${n} + 1?`;
    yield {
      line: n,
      case: { id: `sum-${n}`, input: [{ role: 'user', content }], assertions: [{ type: 'numeric', values: [String(n + 1)] }], metadata: {} },
    };
  }
}

const prepare = async ({ evals }: Theatre, id: string, cases: number): Promise<void> => {
  await importBenchmark(evals.rig.db, { name: id, mode: 'create', cases: sums(cases) });
  await createEvalRun(evals.rig.db, { id, userId: 'u1', benchmark: id, target: { kind: 'module', module: 'bundled' }, config: {} });
};

interface Asked {
  readonly cases: number;
  readonly expected: object;
  readonly input?: object;
}

const completed =
  (scope: string, { cases, expected, input = {} }: Asked): Scenario['play'] =>
  async (theatre) => {
    const { rig, contract, pipelines } = theatre.evals;
    await prepare(theatre, scope, cases);
    const started = await pipelines.start(contract, { runId: scope, userId: 'u1', ...input });
    expect(await pipelines.result(started)).toMatchObject(expected);
    return [{ name: `agentEvalRun/${scope}`, handle: rig.client.workflow.getHandle(started.workflowId, started.runId) }];
  };

/** Evaluation runs. */
export const evalScenarios: readonly Scenario[] = [
  { keeps: ['agentEvalRun/direct'], play: completed('direct', { cases: 5, expected: { outcome: 'completed', succeeded: 5, direct: 5 } }) },
  {
    keeps: ['agentEvalRun/dry-run'],
    play: completed('dry-run', { cases: 5, expected: { outcome: 'dryRun', toProcess: 5 }, input: { dryRun: true } }),
  },
  {
    keeps: ['agentEvalRun/chunks', 'pipelineChunk/twenty-cases'],
    play: async (theatre) => {
      const expected = { outcome: 'completed', succeeded: 25, chunks: 2 };
      const [parent] = await completed('chunks', { cases: 25, expected, input: { maxConcurrency: 5 } })(theatre);
      const handle = theatre.evals.rig.client.workflow.getHandle('agent-eval-run/chunks/e1/1/1');
      return parent === undefined ? [] : [parent, { name: 'pipelineChunk/twenty-cases', handle }];
    },
  },
  {
    keeps: ['agentEvalRun/preflight-refused'],
    play: async ({ evals }) => {
      const started = await evals.pipelines.start(evals.contract, { runId: 'preflight-refused', userId: 'u1' });
      expect(await failureOf(evals.pipelines.result(started))).toMatchObject({ type: 'PreflightRefused' });
      return [{ name: 'agentEvalRun/preflight-refused', handle: evals.rig.client.workflow.getHandle(started.workflowId, started.runId) }];
    },
  },
];
