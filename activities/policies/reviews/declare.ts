import type { CausedEvent } from '../../../packages/agent-signal/handler-context.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import { isAgentSignalEnabled } from '../../../packages/database/signal-admission.ts';
import { countDeclaredIntents } from '../../../packages/database/signal-reviews.ts';
import type { PolicyDeps } from '../deps.ts';

const ACTIONS: readonly unknown[] = ['write', 'create', 'refine', 'consolidate', 'proposal'];
const KINDS: readonly unknown[] = ['memory', 'skill', 'gap'];
const MOST = 3;

/** What an agent declares of itself by its tool; nothing of it is trusted. */
export interface DeclaredIntent {
  readonly ownerId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly action: unknown;
  readonly kind: unknown;
  readonly confidence: unknown;
  readonly reason: string;
  readonly summary: string;
  readonly toolCallId: string;
  readonly operationId?: string;
  readonly topicId?: string;
  readonly evidenceRefs?: readonly { readonly id: string; readonly type: string; readonly summary?: string }[];
}

export type DeclareAnswer = { readonly accepted: true; readonly sourceId: string } | { readonly accepted: false; readonly reason: string };

const findProblem = ({ action, kind, confidence }: DeclaredIntent): string | undefined => {
  if (!ACTIONS.includes(action)) return 'invalid_action';
  if (!KINDS.includes(kind)) return 'invalid_kind';
  return typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? undefined : 'invalid_confidence';
};

/** Declares an intent: checked in one order, three per operation, else three per topic and day. `enqueue` answers whether the event was accepted. */
export const declareSelfFeedbackIntent = async (
  { db, isOnByDefault }: PolicyDeps,
  intent: DeclaredIntent,
  enqueue: (event: CausedEvent & { readonly userId: string }) => Promise<boolean>,
): Promise<DeclareAnswer> => {
  const problem = findProblem(intent);
  if (problem !== undefined) return { accepted: false, reason: problem };
  const { ownerId, userId, agentId, toolCallId, topicId, operationId, ...rest } = intent;
  if (!(await isAgentSignalEnabled(db, userId, isOnByDefault))) return { accepted: false, reason: 'intent_gate_rejected' };
  if ((await countDeclaredIntents(db, { ownerId, operationId, topicId })) >= MOST) return { accepted: false, reason: 'rate_limited' };
  const [scopeType, scopeId] = topicId === undefined ? ['operation', operationId ?? ''] : ['topic', topicId];
  const sourceId = `self-feedback-intent:${userId}:${agentId}:${scopeType}:${scopeId}:${toolCallId}`;
  const payload = compact({ agentId, userId, toolCallId, topicId, operationId, ...rest });
  const isAccepted = await enqueue({ sourceType: 'agent.self_feedback_intent.declared', sourceId, payload, userId });
  return isAccepted ? { accepted: true, sourceId } : { accepted: false, reason: 'enqueue_gate_rejected' };
};
