import { createAction } from '../../../packages/agent-signal/builders.ts';
import type { ActionNode, SignalNode } from '../../../packages/agent-signal/nodes.ts';
import { ACTION_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { compact } from '../payloads.ts';
import type { DomainPayload } from './signals.ts';

const COMPLETE = 'client.runtime.complete';

/** Root of an action's key: of a turn's start and its completion it is the same, so that both make one action per domain. */
const keyRoot = ({ source }: SignalNode<DomainPayload>, { trigger, messageId }: DomainPayload): string =>
  trigger === COMPLETE ? messageId : source.id;

const sharedOf = (payload: DomainPayload) => {
  const {
    message,
    messageId,
    agentId,
    topicId,
    assistantMessageId,
    anchorMessageId,
    evidence,
    reason,
    conflictPolicy,
    serializedContext,
    sourceHints,
  } = payload;
  return {
    message,
    messageId,
    agentId,
    topicId,
    assistantMessageId,
    anchorMessageId,
    evidence,
    reason,
    conflictPolicy,
    serializedContext,
    sourceHints,
  };
};

/** The action that writes a memory. */
export const memoryAction = (node: SignalNode<DomainPayload>): ActionNode => {
  const { payload } = node;
  return createAction({
    parent: node,
    type: ACTION_TYPES.memory,
    id: `${node.signalId}:action:memory`,
    payload: compact({
      ...sharedOf(payload),
      idempotencyKey: `${keyRoot(node, payload)}:memory:${payload.messageId}`,
      feedbackHint: payload.satisfactionResult === 'satisfied' ? 'satisfied' : 'not_satisfied',
    }),
  });
};

/** The action that writes a skill. */
export const skillAction = (node: SignalNode<DomainPayload>): ActionNode => {
  const { payload } = node;
  return createAction({
    parent: node,
    type: ACTION_TYPES.skill,
    id: `${node.signalId}:action:skill-management`,
    payload: compact({
      ...sharedOf(payload),
      idempotencyKey: `${keyRoot(node, payload)}:skill:${payload.messageId}`,
      feedbackHint: payload.satisfactionResult === 'satisfied' ? 'satisfied' : 'not_satisfied',
    }),
  });
};
