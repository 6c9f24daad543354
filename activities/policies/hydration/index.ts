import { defineAgentSignalHandlers, defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { PolicyBundle } from '../../../packages/agent-signal/define.ts';
import type { HandlerScope } from '../../../packages/agent-signal/handler-context.ts';
import type { RuntimeProcessorResult } from '../../../packages/agent-signal/results.ts';
import { deriveScopeKey } from '../../../packages/agent-signal/scope-key.ts';
import { findMessage, readRecentMessages, readTurn } from '../../../packages/database/conversations.ts';
import type { ChatMessage } from '../../../packages/database/conversations.ts';
import type { PolicyDeps } from '../deps.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import { hasSkillDocument, serializeContext } from './context.ts';

const LAST_MESSAGES = 10;
const CONTEXT_CHARACTERS = 48_000;

interface Found {
  readonly user: ChatMessage;
  /** Message up to which the conversation is read. */
  readonly anchor: ChatMessage;
  /** From the assistant message back to the user's, for a completion. */
  readonly turn: readonly ChatMessage[];
  readonly sourceId: string;
}

type Wanted<T> = { readonly ok: true; readonly found: T } | { readonly ok: false; readonly reason: string };

const not = (reason: string) => ({ ok: false, reason }) as const;

const findStart = async ({ db }: PolicyDeps, parentMessageId: string | undefined, { userId }: HandlerScope): Promise<Wanted<Found>> => {
  if (parentMessageId === undefined) return not('missing-parent-message-id');
  const user = await findMessage(db, { id: parentMessageId, userId });
  if (user === undefined) return not('message-not-found');
  if (user.role !== 'user') return not('non-user-parent');
  return user.content.trim() === '' ? not('empty-content') : { ok: true, found: { user, anchor: user, turn: [], sourceId: user.id } };
};

const findCompleted = async (
  { db }: PolicyDeps,
  { assistantMessageId, status }: { readonly assistantMessageId?: string | undefined; readonly status?: string | undefined },
  { userId }: HandlerScope,
): Promise<Wanted<Found>> => {
  if (status !== 'completed') return not('non-completed-status');
  if (assistantMessageId === undefined) return not('missing-assistant-message-id');
  const turn = await readTurn(db, { id: assistantMessageId, userId });
  const [assistant] = turn;
  if (assistant === undefined) return not('assistant-message-not-found');
  if (assistant.role !== 'assistant') return not('non-assistant-message');
  if (assistant.parentId === null) return not('missing-parent-message-id');
  const user = turn.at(-1);
  if (user === undefined || turn.length < 2) return not('parent-message-not-found');
  if (user.role !== 'user') return not('non-user-parent');
  if (user.content.trim() === '') return not('empty-content');
  return { ok: true, found: { user, anchor: assistant, turn, sourceId: `${assistant.id}:completion:${user.id}` } };
};

/** The message as it is stored, in the scope of its own topic: text and context of the client are dropped. */
const derive = async (
  { db }: PolicyDeps,
  { user, anchor, turn, sourceId }: Found,
  { trigger, scope, agentId }: { readonly trigger: string; readonly scope: HandlerScope; readonly agentId: string | undefined },
): Promise<RuntimeProcessorResult> => {
  const recent = await readRecentMessages(db, { anchor, limit: LAST_MESSAGES });
  const agent = user.agentId ?? agentId ?? scope.agentId;
  const payload = compact({
    message: user.content,
    messageId: user.id,
    topicId: user.topicId ?? undefined,
    threadId: user.threadId ?? undefined,
    agentId: agent,
    anchorMessageId: anchor.id,
    triggerMessageId: user.id,
    trigger,
    serializedContext: serializeContext({ recent, feedback: user, turn }).slice(0, CONTEXT_CHARACTERS),
    documentPayload: hasSkillDocument(turn) ? { hintIsSkill: true } : undefined,
  });
  const scopeKey = deriveScopeKey({ topicId: user.topicId ?? undefined, agentId: agent, userId: scope.userId });
  return { status: 'conclude', concluded: { reason: 'hydrated', derived: { sourceType: 'agent.user.message', sourceId, scopeKey, payload } } };
};

/** What a browser says of a turn becomes what is stored of it, as an event of its own that runs next. */
export const createHydrationPolicy = (deps: PolicyDeps): PolicyBundle =>
  defineAgentSignalHandlers('hydration', [
    defineSourceHandler({
      id: 'hydration.start',
      on: 'client.runtime.start',
      handle: async ({ node, scope, note }) => {
        const wanted = await findStart(deps, node.payload.parentMessageId, scope);
        if (wanted.ok) return derive(deps, wanted.found, { trigger: 'client.runtime.start', scope, agentId: node.payload.agentId });
        note(`not hydrated: ${wanted.reason}`);
        return null;
      },
    }),
    defineSourceHandler({
      id: 'hydration.complete',
      on: 'client.runtime.complete',
      handle: async ({ node, scope, note }) => {
        const wanted = await findCompleted(deps, node.payload, scope);
        if (wanted.ok) return derive(deps, wanted.found, { trigger: 'client.runtime.complete', scope, agentId: node.payload.agentId });
        note(`not hydrated: ${wanted.reason}`);
        return null;
      },
    }),
  ]);
