export { createAgentEvalRunActivities } from './agent-eval-run.ts';
export { createProbeActivities } from './probe.ts';
export { createSquareNumberActivities } from './square-number.ts';
