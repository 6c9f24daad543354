import { readRecentMessages, findMessage } from '../../packages/database/conversations.ts';
import { createSkill, insertMemory, listMemories, listSkills, replaceSkill, storeProposal } from '../../packages/database/knowledge.ts';
import { failedUse, textArgument } from './tool.ts';
import type { AgentTool } from './tool.ts';

const SUMMARY = 240;

const writeMemory: AgentTool = {
  apiName: 'writeMemory',
  kind: 'memory',
  description: 'Remembers something of the user. Arguments: title, content, layer?',
  run: async ({ tx, operation, args }) => {
    const [title, content] = [textArgument(args, 'title'), textArgument(args, 'content')];
    if (title === undefined || content === undefined) return failedUse('title and content are required');
    const layer = textArgument(args, 'layer') ?? 'preference';
    const memoryId = await insertMemory(tx, { ...operation, title, content, layer });
    return {
      status: 'applied',
      summary: content.slice(0, SUMMARY),
      resourceId: memoryId,
      target: { type: 'memory', title: title.slice(0, SUMMARY), id: memoryId, memoryId, memoryLayer: layer },
    };
  },
};

const createSkillIfAbsent: AgentTool = {
  apiName: 'createSkillIfAbsent',
  kind: 'skill',
  description: 'Creates a skill unless there is one of that name. Arguments: name, content',
  run: async ({ tx, operation, args }) => {
    const [name, content] = [textArgument(args, 'name'), textArgument(args, 'content')];
    if (name === undefined || content === undefined) return failedUse('name and content are required');
    const { documentId, isNew } = await createSkill(tx, { ...operation, name, content });
    return {
      status: isNew ? 'applied' : 'deduped',
      summary: content.slice(0, SUMMARY),
      resourceId: documentId,
      target: { type: 'skill', title: name.slice(0, SUMMARY), id: documentId, documentId },
    };
  },
};

const replaceSkillContentCAS: AgentTool = {
  apiName: 'replaceSkillContentCAS',
  kind: 'skill',
  description: 'Replaces the content of a skill that nobody has changed since. Arguments: documentId, content, expectedUpdatedAt (from listSkills)',
  run: async ({ tx, operation, args, callId }) => {
    const [documentId, content, expectedUpdatedAt] = ['documentId', 'content', 'expectedUpdatedAt'].map((name) => textArgument(args, name));
    if (documentId === undefined || content === undefined || expectedUpdatedAt === undefined)
      return failedUse('documentId, content and expectedUpdatedAt are required');
    const historyId = `${operation.operationId}:${callId}`;
    const replaced = await replaceSkill(tx, { ...operation, documentId, content, expectedUpdatedAt, historyId });
    if (replaced === undefined) return { status: 'skipped_stale', summary: 'the skill was changed meanwhile, or is not managed' };
    return {
      status: 'applied',
      summary: content.slice(0, SUMMARY),
      target: { type: 'skill', title: replaced.name.slice(0, SUMMARY), id: documentId, documentId },
      documentId,
      historyId,
      expectedCurrentDocumentUpdatedAt: replaced.updatedAt,
    };
  },
};

const createSelfReviewProposal: AgentTool = {
  apiName: 'createSelfReviewProposal',
  kind: 'proposal',
  description: 'Proposes a change for the user to decide on. Arguments: action, targetType, targetId, summary',
  run: async ({ tx, operation, args }) => {
    const [action, targetType, targetId, summary] = ['action', 'targetType', 'targetId', 'summary'].map((name) => textArgument(args, name));
    if (action === undefined || targetType === undefined || targetId === undefined || summary === undefined)
      return failedUse('action, targetType, targetId and summary are required');
    const subject = `${operation.agentId}:${action}:${targetType}:${targetId}`;
    const { id, isNew } = await storeProposal(tx, { ownerId: operation.ownerId, subject, summary, evidence: { operationId: operation.operationId } });
    return { status: isNew ? 'proposed' : 'deduped', summary: summary.slice(0, SUMMARY), resourceId: id };
  },
};

const readHistory: AgentTool = {
  apiName: 'readHistory',
  kind: 'read',
  description: 'Reads the last messages of the conversation. Arguments: limit? (at most 40)',
  run: async ({ tx, operation, args }) => {
    const marker = operation.marker as { readonly triggerMessageId?: string; readonly anchorMessageId?: string } | null;
    const anchorId = marker?.anchorMessageId ?? marker?.triggerMessageId;
    const anchor = anchorId === undefined ? undefined : await findMessage(tx, { id: anchorId, userId: operation.userId });
    if (anchor === undefined) return { messages: [] };
    const limit = Math.min(40, Math.max(1, Number(args['limit']) || 20));
    const messages = await readRecentMessages(tx, { anchor, limit });
    return { messages: messages.map(({ role, content }) => ({ role, content: content.slice(0, 2_000) })) };
  },
};

const readKnowledge: AgentTool = {
  apiName: 'readKnowledge',
  kind: 'read',
  description: 'Reads what the agent remembers and knows how to do: newest memories and skills. No arguments',
  run: async ({ tx, operation }) => ({
    memories: await listMemories(tx, { ...operation, limit: 20 }),
    skills: await listSkills(tx, { ...operation, limit: 20 }),
  }),
};

/** The tools of agent runs, sorted by name. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  createSelfReviewProposal,
  createSkillIfAbsent,
  readHistory,
  readKnowledge,
  replaceSkillContentCAS,
  writeMemory,
];
