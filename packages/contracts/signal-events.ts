/** Causation of an event that our own actions and runs produce: the story it comes from and how far it is from it. */
export interface EventCause {
  readonly rootSourceId: string;
  readonly chainId: string;
  readonly depth: number;
  /** The event was not caused: it is derived from one that was. */
  readonly isInherited?: true;
}

/** An event that was parsed at a door: whose, in which line, what. */
export interface SourceEvent {
  readonly ownerId: string;
  readonly scopeKey: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly userId: string;
  readonly agentId?: string;
  readonly workspaceId?: string;
  /** The sender's clock, ms: data, never part of a key or of the order. */
  readonly timestamp?: number;
  readonly cause?: EventCause;
}

/** Failure types of a refused event. */
export const EVENT_FAILURES = {
  invalidInput: 'InvalidInput',
  sourceTypeNotAllowed: 'SourceTypeNotAllowed',
  forbidden: 'Forbidden',
  agentNotUsable: 'AgentNotUsable',
  payloadTooLarge: 'PayloadTooLarge',
  rateLimited: 'RateLimited',
  backlogFull: 'BacklogFull',
  causeDepthExceeded: 'CauseDepthExceeded',
} as const;

export type EventFailureType = (typeof EVENT_FAILURES)[keyof typeof EVENT_FAILURES];
