import type { SourcePayloads } from '../../../packages/agent-signal/source-payloads.schema.ts';
import type { SelfIterationMarker } from '../../../packages/agent-signal/self-iteration.schema.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';

type Nightly = SourcePayloads['agent.nightly_review.requested'];
type Reflection = SourcePayloads['agent.self_reflection.requested'];
type Intent = SourcePayloads['agent.self_feedback_intent.declared'];

/** What a request asks for: the review, the window it looks at, why the run exists. */
export interface ReviewRequest {
  readonly agentId: string;
  readonly userId: string;
  /** What its source id must be, or how it must begin. */
  readonly expectedId: string;
  readonly from: string;
  readonly to: string;
  readonly marker: SelfIterationMarker;
  readonly task: string;
}

const DAY_MS = 86_400_000;

/** `nightly-review:<user>:<agent>:<localDate>` */
export const nightlySourceId = ({ userId, agentId, localDate }: Pick<Nightly, 'userId' | 'agentId' | 'localDate'>): string =>
  `nightly-review:${userId}:${agentId}:${localDate}`;

const nightly = (payload: Nightly, sourceId: string): ReviewRequest => ({
  agentId: payload.agentId,
  userId: payload.userId,
  expectedId: nightlySourceId(payload),
  from: payload.reviewWindowStart,
  to: payload.reviewWindowEnd,
  marker: {
    kind: 'nightly-review',
    sourceId,
    agentId: payload.agentId,
    localDate: payload.localDate,
    reviewWindowStart: payload.reviewWindowStart,
    reviewWindowEnd: payload.reviewWindowEnd,
  },
  task: `Review the day ${payload.localDate}: what should be remembered, and which skills should change?`,
});

const reflection = (payload: Reflection, sourceId: string): ReviewRequest => {
  const { agentId, userId, scopeType, scopeId, reason, windowStart, windowEnd, topicId } = payload;
  return {
    agentId,
    userId,
    expectedId: `self-reflection:${userId}:${agentId}:${scopeType}:${scopeId}:${reason}:${windowStart}:${windowEnd}`,
    from: windowStart,
    // The window ends with the event that crossed the threshold.
    to: new Date(Date.parse(windowEnd) + 1).toISOString(),
    marker: compact({ kind: 'self-reflection' as const, sourceId, agentId, topicId }),
    task: `Reflect on ${scopeType} ${scopeId}: ${reason}`,
  };
};

const intent = (payload: Intent, sourceId: string): ReviewRequest => {
  const { agentId, userId, topicId, operationId, toolCallId, action, kind, summary, reason, confidence, evidenceRefs } = payload;
  const [scopeType, scopeId] = topicId === undefined ? ['operation', operationId ?? ''] : ['topic', topicId];
  const isStrong = confidence >= 0.75 && (evidenceRefs?.length ?? 0) > 0;
  const now = Date.now();
  return {
    agentId,
    userId,
    expectedId: `self-feedback-intent:${userId}:${agentId}:${scopeType}:${scopeId}:${toolCallId ?? ''}`,
    from: new Date(now - DAY_MS).toISOString(),
    to: new Date(now).toISOString(),
    marker: compact({ kind: 'self-feedback-intent' as const, sourceId, agentId, topicId }),
    task: `The agent declared a ${isStrong ? 'strong' : 'weak'} intent to ${action} a ${kind}: ${summary} (${reason})`,
  };
};

/** What a request event asks for. */
export const readRequest = (type: string, payload: object, sourceId: string): ReviewRequest => {
  if (type === 'agent.nightly_review.requested') return nightly(payload as Nightly, sourceId);
  return type === 'agent.self_reflection.requested' ? reflection(payload as Reflection, sourceId) : intent(payload as Intent, sourceId);
};
