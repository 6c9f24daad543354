/** Signals that the runtime itself makes of an action's end. */
export const ACTION_SIGNALS = {
  applied: 'signal.action.applied',
  skipped: 'signal.action.skipped',
  failed: 'signal.action.failed',
} as const;

/** Signal types of the base's policies. */
export const SIGNAL_TYPES = {
  satisfaction: 'signal.feedback.satisfaction',
  domainMemory: 'signal.feedback.domain.memory',
  domainPrompt: 'signal.feedback.domain.prompt',
  domainSkill: 'signal.feedback.domain.skill',
  domainNone: 'signal.feedback.domain.none',
  toolOutcome: 'signal.tool.outcome',
  bucketScored: 'signal.procedure.bucket.scored',
} as const;

/** Action types of the base's policies. */
export const ACTION_TYPES = {
  memory: 'action.user-memory.handle',
  skill: 'action.skill-management.handle',
} as const;
