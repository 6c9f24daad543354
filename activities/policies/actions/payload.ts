import type { Evidence } from '../payloads.ts';

/** Payload of the actions that start an agent run. */
export interface RunActionPayload {
  readonly message?: string;
  readonly messageId?: string;
  readonly agentId?: string;
  readonly topicId?: string;
  readonly assistantMessageId?: string;
  readonly anchorMessageId?: string;
  readonly triggerMessageId?: string;
  readonly evidence?: Evidence;
  readonly serializedContext?: string;
  /** Parked candidate that the run consumes. */
  readonly candidateMessageId?: string;
}
