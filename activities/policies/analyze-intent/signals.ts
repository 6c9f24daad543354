import type { FeedbackTarget } from '../../../packages/agent-signal/conflicts.ts';
import type { ConflictPolicy } from '../../../packages/agent-signal/conflicts.ts';
import type { Evidence, FeedbackShared } from '../payloads.ts';

/** Payload of `signal.feedback.satisfaction`. */
export interface SatisfactionPayload extends FeedbackShared {
  readonly result: 'satisfied' | 'not_satisfied' | 'neutral';
  readonly confidence: number;
  readonly reason: string;
  readonly evidence: Evidence;
}

/** What was found out about a skill's part in feedback. */
export interface SkillIntentPayload {
  readonly skillRoute: string;
  readonly skillActionIntent: string;
  readonly skillIntentExplicitness: string;
  readonly skillIntentConfidence: number;
  readonly skillIntentReason: string;
  readonly skillIntentError?: string | undefined;
}

/** Payload of `signal.feedback.domain.*`. */
export interface DomainPayload extends FeedbackShared, Partial<SkillIntentPayload> {
  readonly target: FeedbackTarget;
  readonly confidence: number;
  readonly reason: string;
  readonly evidence: Evidence;
  readonly satisfactionResult: SatisfactionPayload['result'];
  readonly conflictPolicy: ConflictPolicy;
}
