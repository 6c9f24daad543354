export { agents, userFlags } from './agents.ts';
export { evalBenchmarks, evalCases, evalResults, evalRuns, evalTrajectories } from './eval.ts';
export { flowSettings } from './flow.ts';
export { pipelineEpochs, pipelineItems, pipelineRuns, workerLeases } from './pipeline.ts';
export { probeExecutions, probeItems } from './probe.ts';
export { signalGuards, signalProbes, signalRejections } from './signal-state.ts';
export { signalActions, signalEvents, signalNodes, signalResults, signalScopes, signalTimers } from './signal.ts';
