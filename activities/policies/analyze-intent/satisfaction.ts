import { createSignal } from '../../../packages/agent-signal/builders.ts';
import { defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import { SIGNAL_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import type { SourcePayloads } from '../../../packages/agent-signal/source-payloads.schema.ts';
import { satisfactionSchema } from '../../../packages/contracts/signal-model.schema.ts';
import { storeDiagnostic } from '../../../packages/database/signal-procedures.ts';
import type { PolicyDeps } from '../deps.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import type { FeedbackShared } from '../payloads.ts';
import { askModel } from './ask-model.ts';

const MALFORMED = 'malformed satisfaction classifier output';

const conclude = (reason: string) => ({ status: 'conclude', concluded: { reason } }) as const;

const sharedOf = (payload: SourcePayloads['agent.user.message']): FeedbackShared => {
  const { messageId, agentId, topicId, threadId, anchorMessageId, trigger, serializedContext, intents, documentPayload, memoryPayload } = payload;
  const hints = compact({ intents, documentPayload, memoryPayload });
  const message = payload.message.trim();
  const sourceHints = Object.keys(hints).length > 0 ? hints : undefined;
  return compact({ message, messageId, agentId, topicId, threadId, anchorMessageId, trigger, serializedContext, sourceHints });
};

/** Judges whether a user's message is feedback, and which. */
export const createSatisfactionHandler = ({ db, model }: PolicyDeps): HandlerDefinition =>
  defineSourceHandler({
    id: 'analyze-intent.satisfaction',
    on: 'agent.user.message',
    handle: async ({ node, source, scope, signal, note }) => {
      const shared = sharedOf(node.payload);
      if (shared.message === '') return conclude('empty message');
      if (model === null) {
        note('satisfaction classifier unavailable');
        return null;
      }
      const input = { message: shared.message, context: shared.serializedContext ?? '' };
      const asked = await askModel(model, satisfactionSchema, { task: 'satisfaction', input, signal });
      if (!asked.ok) {
        await storeDiagnostic(db, { ...scope, sourceId: source.sourceId, stage: 'satisfaction', reason: MALFORMED, error: asked.error });
        return conclude(MALFORMED);
      }
      const id = `${source.sourceId}:signal:feedback-satisfaction`;
      return {
        status: 'dispatch',
        signals: [createSignal({ parent: node, type: SIGNAL_TYPES.satisfaction, id, payload: { ...shared, ...asked.answer } })],
      };
    },
  });
