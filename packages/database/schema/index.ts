export { agentOperations, agentSteps, agentToolCalls } from './agent-runs.ts';
export { agents, userFlags, userProfiles } from './agents.ts';
export { chatMessages, chatThreads } from './conversations.ts';
export { evalBenchmarks, evalCases, evalResults, evalRuns, evalTrajectories } from './eval.ts';
export { flowSettings } from './flow.ts';
export { agentSkills, reviewProposals, userMemories } from './knowledge.ts';
export { pipelineEpochs, pipelineItems, pipelineRuns, workerLeases } from './pipeline.ts';
export { probeExecutions, probeItems } from './probe.ts';
export {
  signalCandidates,
  signalCounts,
  signalDiagnostics,
  signalProcedures,
  signalReceipts,
  signalReflections,
  signalReviews,
  signalTurns,
} from './signal-policies.ts';
export { signalGuards, signalProbes, signalRejections } from './signal-state.ts';
export { signalActions, signalEvents, signalNodes, signalResults, signalScopes, signalTimers } from './signal.ts';
