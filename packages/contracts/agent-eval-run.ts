import { definePipeline } from './pipeline.ts';

/** One evaluation run: executes every pending test case of the run's dataset against its target and judges the answers. */
export const agentEvalRunContract = definePipeline({
  type: 'agentEvalRun',
  entity: 'agent-eval-run',
  description: 'Runs the test cases of a benchmark against a target and judges the answers.',
  fields: {
    runId: { kind: 'id' },
    userId: { kind: 'id' },
  },
  scopeField: 'runId',
  texts: {
    noun: 'test cases',
    verb: 'execute',
    verbPast: 'executed',
    noEligible: 'No test cases in dataset',
    allProcessed: 'All test cases already executed',
  },
  limits: {
    process: { parallelism: 100, ratePerSecond: 1 },
    paginate: { parallelism: 200, ratePerSecond: 5 },
    execute: { parallelism: 200, ratePerSecond: 5 },
  },
  plan: { itemTimeoutMs: 1_200_000, maxConcurrency: 20 },
  retry: { attempts: 6, firstWaitMs: 10_000, growth: 'linear' },
  maxConcurrencyLimit: 20,
  retryFailed: 'redrive',
  forceOpensEpoch: false,
  smokeInput: { runId: 'smoke', userId: 'smoke' },
});
