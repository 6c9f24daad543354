import { agentEvalRunContract } from './agent-eval-run.ts';
import type { PipelineContract } from './pipeline.ts';
import { probeContract } from './probe.ts';

/** Every pipeline of the base, sorted by type: the registry that command line, workers and checks read. */
export const pipelineContracts: readonly PipelineContract[] = [
  agentEvalRunContract,
  probeContract,
];
