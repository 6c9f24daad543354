import { ApplicationFailure, workflowInfo } from '@temporalio/workflow';
import { RUN_FAILURES } from '../packages/contracts/failures.ts';
import { pipelineContracts } from '../packages/contracts/index.ts';

export { agentEvalRun } from './agent-eval-run.ts';
export { agentSignalScope } from './agent-signal-scope.ts';
export { agentSignalSweep } from './agent-signal-sweep.ts';
export { execAgent } from './exec-agent.ts';
export { flowControl } from './flow-control.ts';
export { nightlyReview } from './nightly-review.ts';
export { pipelineChunk } from './pipeline-chunk.ts';
export { probe } from './probe.ts';
export { squareNumber } from './square-number.ts';

/** Catches every unknown workflow type, which would otherwise stay Running for ever. */
export default async function unknownWorkflow(): Promise<never> {
  const known = pipelineContracts.map(({ type }) => type).join(', ');
  throw ApplicationFailure.nonRetryable(
    `unknown workflow type "${workflowInfo().workflowType}"; known types: ${known}`,
    RUN_FAILURES.unknownWorkflowType,
  );
}
