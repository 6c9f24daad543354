import { defineActionHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import { ACTION_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import type { PolicyDeps } from '../deps.ts';
import { withoutModel } from '../without-model.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import type { RunActionPayload } from './payload.ts';

const CODE = 'USER_MEMORY_EXECUTION_FAILED';
const MAX_STEPS = 8;

/** Lets a run of ours write what the user wants remembered. */
export const createMemoryExecutor = ({ model }: PolicyDeps): HandlerDefinition =>
  defineActionHandler<RunActionPayload>({
    id: 'user-memory.handle',
    on: ACTION_TYPES.memory,
    handle: ({ node, source, scope }) => {
      const { message = '', messageId, topicId, anchorMessageId, serializedContext } = node.payload;
      const agentId = node.payload.agentId ?? scope.agentId;
      if (agentId === undefined) return { status: 'skipped', detail: 'no agent to remember for' };
      if (message.trim() === '') return { status: 'skipped', detail: 'Missing memory action message.' };
      if (model === null) return withoutModel(CODE);
      const marker = compact({ kind: 'memory' as const, sourceId: source.sourceId, agentId, topicId, anchorMessageId, triggerMessageId: messageId });
      return {
        status: 'start',
        run: compact({
          agentId,
          marker,
          prompt: message,
          context: serializedContext,
          maxSteps: MAX_STEPS,
          detail: 'Memory write enqueued.',
          failureCode: CODE,
        }),
      };
    },
  });
