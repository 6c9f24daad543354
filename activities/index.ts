export { createAgentEvalRunActivities } from './agent-eval-run.ts';
export { createFlowControlActivities } from './flow-control.ts';
export { createProbeActivities } from './probe.ts';
export { createSquareNumberActivities } from './square-number.ts';
