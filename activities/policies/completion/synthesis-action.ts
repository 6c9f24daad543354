import { createAction } from '../../../packages/agent-signal/builders.ts';
import type { ActionNode, AgentSignalNode } from '../../../packages/agent-signal/nodes.ts';
import { ACTION_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';

/** A complete turn as it is kept: its assistant message and what was said in it. */
export interface TurnFact {
  readonly assistantMessageId: string;
  readonly topicId: string;
  /** `<turn_trajectory>…</turn_trajectory>` */
  readonly trajectory: string;
}

/** The one skill action of a parked candidate and its turn, whichever of the two came second. */
export const synthesisAction = ({
  parent,
  userMessageId,
  candidate,
  turn,
}: {
  readonly parent: AgentSignalNode;
  readonly userMessageId: string;
  readonly candidate: Readonly<Record<string, unknown>>;
  readonly turn: Readonly<Record<string, unknown>>;
}): ActionNode => {
  const { assistantMessageId, topicId, trajectory } = turn as unknown as TurnFact;
  const { message, agentId, evidence, sourceHints, conflictPolicy } = candidate as Readonly<Record<string, never>>;
  return createAction({
    parent,
    type: ACTION_TYPES.skill,
    id: `${assistantMessageId}:completion:${userMessageId}:skill-management`,
    payload: compact({
      idempotencyKey: `${userMessageId}:skill:${userMessageId}`,
      message,
      messageId: userMessageId,
      agentId,
      topicId,
      assistantMessageId,
      anchorMessageId: assistantMessageId,
      triggerMessageId: userMessageId,
      evidence,
      feedbackHint: 'not_satisfied',
      reason: 'parked candidate resumed by the completion of its turn',
      conflictPolicy,
      sourceHints,
      serializedContext: trajectory,
      candidateMessageId: userMessageId,
    }),
  });
};
