export { createAgentEvalRunActivities } from './agent-eval-run.ts';
export { createAgentSignalScopeActivities } from './agent-signal-scope.ts';
export { createAgentSignalSweepActivities } from './agent-signal-sweep.ts';
export { createExecAgentActivities } from './exec-agent.ts';
export { createFlowControlActivities } from './flow-control.ts';
export { createNightlyReviewActivities } from './nightly-review.ts';
export { createProbeActivities } from './probe.ts';
export { createSquareNumberActivities } from './square-number.ts';
