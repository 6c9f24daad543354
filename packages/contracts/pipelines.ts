export { agentEvalRunContract } from './agent-eval-run.ts';
export { nightlyReviewContract } from './nightly-review.ts';
export { probeContract } from './probe.ts';
export { squareNumberContract } from './square-number.ts';
