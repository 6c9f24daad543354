export { evalBenchmarks, evalCases, evalResults, evalRuns, evalTrajectories } from './eval.ts';
export { flowSettings } from './flow.ts';
export { pipelineEpochs, pipelineItems, pipelineRuns, workerLeases } from './pipeline.ts';
export { probeExecutions, probeItems } from './probe.ts';
