/** The source types that a browser may emit, and only through its own door. */
export const AGENT_SIGNAL_CLIENT_SOURCE_TYPES = [
  'client.gateway.error',
  'client.gateway.runtime_end',
  'client.gateway.step_complete',
  'client.gateway.stream_start',
  'client.runtime.complete',
  'client.runtime.start',
] as const;

/** The request types: work that a schedule, a counter or an agent's own tool asks for. */
export const AGENT_SIGNAL_REQUEST_SOURCE_TYPES = [
  'agent.nightly_review.requested',
  'agent.self_feedback_intent.declared',
  'agent.self_reflection.requested',
] as const;

/** What the manual door takes. */
export const AGENT_SIGNAL_MANUAL_SOURCE_TYPES = [
  'agent.user.message',
  'tool.outcome.completed',
  'tool.outcome.failed',
  ...AGENT_SIGNAL_REQUEST_SOURCE_TYPES,
] as const;

/** All source types of the base; a policy may register more, each with a schema. */
export const AGENT_SIGNAL_SOURCE_TYPES = [
  'agent.execution.completed',
  'agent.execution.failed',
  ...AGENT_SIGNAL_MANUAL_SOURCE_TYPES,
  'bot.message.merged',
  ...AGENT_SIGNAL_CLIENT_SOURCE_TYPES,
  'runtime.after_step',
  'runtime.before_step',
] as const;

export type AgentSignalSourceType = (typeof AGENT_SIGNAL_SOURCE_TYPES)[number];

const isOneOf =
  <T extends string>(types: readonly T[]) =>
  (type: string): type is T =>
    (types as readonly string[]).includes(type);

/** Whether a browser may emit the type. */
export const isClientSourceType = isOneOf(AGENT_SIGNAL_CLIENT_SOURCE_TYPES);

/** Whether the manual door takes the type. */
export const isManualSourceType = isOneOf(AGENT_SIGNAL_MANUAL_SOURCE_TYPES);
