import { createAction } from '../../../packages/agent-signal/builders.ts';
import type { ActionNode, SignalNode } from '../../../packages/agent-signal/nodes.ts';
import { ACTION_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
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

/** What differs between the actions: their type, their name in node ids, and their domain in keys. */
interface RunActionKind {
  readonly type: string;
  readonly name: string;
  readonly domain: string;
}

const createRunAction = (node: SignalNode<DomainPayload>, { type, name, domain }: RunActionKind): ActionNode => {
  const { payload } = node;
  return createAction({
    parent: node,
    type,
    id: `${node.signalId}:action:${name}`,
    payload: compact({
      ...sharedOf(payload),
      idempotencyKey: `${keyRoot(node, payload)}:${domain}:${payload.messageId}`,
      feedbackHint: payload.satisfactionResult === 'satisfied' ? 'satisfied' : 'not_satisfied',
    }),
  });
};

/** The action that writes a memory. */
export const memoryAction = (node: SignalNode<DomainPayload>): ActionNode =>
  createRunAction(node, { type: ACTION_TYPES.memory, name: 'memory', domain: 'memory' });

/** The action that writes a skill. */
export const skillAction = (node: SignalNode<DomainPayload>): ActionNode =>
  createRunAction(node, { type: ACTION_TYPES.skill, name: 'skill-management', domain: 'skill' });
