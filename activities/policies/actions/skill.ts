import { defineActionHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import { ACTION_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { isSelfIterating } from '../../../packages/database/agents.ts';
import type { PolicyDeps } from '../deps.ts';
import { withoutModel } from '../without-model.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import type { RunActionPayload } from './payload.ts';

const CODE = 'SKILL_MANAGEMENT_EXECUTION_FAILED';
const MAX_STEPS = 12;

/** Lets a run of ours create or refine a skill. */
export const createSkillExecutor = ({ db, model }: PolicyDeps): HandlerDefinition =>
  defineActionHandler<RunActionPayload>({
    id: 'skill-management.handle',
    on: ACTION_TYPES.skill,
    handle: async ({ node, source, scope }) => {
      const { message = '', messageId, topicId, anchorMessageId, triggerMessageId, serializedContext, candidateMessageId } = node.payload;
      const agentId = node.payload.agentId ?? scope.agentId;
      if (agentId === undefined) return { status: 'skipped', detail: 'no agent to learn for' };
      if (!(await isSelfIterating(db, agentId))) return { status: 'skipped', detail: 'self-iteration is switched off for this agent' };
      if (message.trim() === '') return { status: 'skipped', detail: 'Missing skill action message.' };
      if (model === null) return withoutModel(CODE);
      const marker = compact({
        kind: 'skill' as const,
        sourceId: source.sourceId,
        agentId,
        topicId,
        anchorMessageId,
        triggerMessageId: triggerMessageId ?? messageId,
      });
      return {
        status: 'start',
        run: compact({
          agentId,
          marker,
          prompt: message,
          context: serializedContext,
          maxSteps: MAX_STEPS,
          detail: 'Skill write enqueued.',
          failureCode: CODE,
          candidate: candidateMessageId,
        }),
      };
    },
  });
