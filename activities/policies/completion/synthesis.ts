import { defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import { isSelfIterating } from '../../../packages/database/agents.ts';
import { readTurn } from '../../../packages/database/conversations.ts';
import type { ChatMessage } from '../../../packages/database/conversations.ts';
import { completeTurn } from '../../../packages/database/signal-candidates.ts';
import type { PolicyDeps } from '../deps.ts';
import { escapeXml } from '../payloads.ts';
import { synthesisAction } from './synthesis-action.ts';
import type { TurnFact } from './synthesis-action.ts';

const MOST_MESSAGES = 40;
const UNFINISHED: readonly string[] = ['waiting_for_async_tool', 'waiting_for_human'];

const trajectoryOf = (messages: readonly ChatMessage[]): string => {
  const lines = messages
    .slice(-MOST_MESSAGES)
    .map(({ id, role, content }) => `  <message id="${escapeXml(id)}" role="${role}">${escapeXml(content)}</message>`);
  return ['<turn_trajectory>', ...lines, '</turn_trajectory>'].join('\n');
};

/** A complete turn takes up the skill candidate that was parked for it, or waits for one. */
export const createSynthesisHandler = ({ db }: PolicyDeps): HandlerDefinition =>
  defineSourceHandler({
    id: 'completion.skill-synthesis',
    on: 'agent.execution.completed',
    handle: async ({ node, scope, note }) => {
      const { selfIteration, reason, assistantMessageId, topicId } = node.payload;
      const agentId = node.payload.agentId ?? scope.agentId;
      if (selfIteration !== undefined || UNFINISHED.includes(reason ?? '') || assistantMessageId === undefined || topicId === undefined) return null;
      if (agentId !== undefined && !(await isSelfIterating(db, agentId))) return null;
      const turn = (await readTurn(db, { id: assistantMessageId, userId: scope.userId })).toReversed();
      const [user] = turn;
      if (user?.role !== 'user') {
        note('the turn has no user message');
        return null;
      }
      const fact: TurnFact = { assistantMessageId, topicId, trajectory: trajectoryOf(turn) };
      const resumed = await completeTurn(db, { ownerId: scope.ownerId, messageId: user.id }, fact);
      if (resumed === null) return null;
      return { status: 'dispatch', actions: [synthesisAction({ parent: node, userMessageId: user.id, ...resumed })] };
    },
  });
