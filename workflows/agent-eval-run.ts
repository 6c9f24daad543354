import { agentEvalRunContract } from '../packages/contracts/agent-eval-run.ts';
import { pipeline } from '../packages/durable/pipeline.ts';

/** Executes the pending test cases of one evaluation run. */
export const agentEvalRun = pipeline(agentEvalRunContract);
