import type { ChatMessage } from '../../../packages/database/conversations.ts';
import { escapeXml } from '../payloads.ts';

const element = (name: string, { id, role, content }: ChatMessage): string =>
  `  <${name} id="${escapeXml(id)}" role="${role}">${escapeXml(content)}</${name}>`;

const toolRows = (turn: readonly ChatMessage[]): readonly string[] => {
  const rows = turn.flatMap((message) => {
    const documents = message.metadata?.['documents'];
    const listed = Array.isArray(documents) ? documents.map((document) => `    <document>${escapeXml(JSON.stringify(document))}</document>`) : [];
    return message.role === 'tool' ? [element('tool', message), ...listed] : listed;
  });
  return rows.length > 0 ? ['  <turn>', ...rows, '  </turn>'] : [];
};

/** What a classifier reads beside the feedback: the last messages up to the anchor, the latest reply, and, for a completion, the turn's tools and documents. */
export const serializeContext = ({
  recent,
  feedback,
  turn,
}: {
  readonly recent: readonly ChatMessage[];
  readonly feedback: ChatMessage;
  readonly turn: readonly ChatMessage[];
}): string => {
  const reply = recent.findLast(({ role }) => role === 'assistant');
  return [
    '<conversation>',
    ...recent.map((message) => element('message', message)),
    ...(reply === undefined ? [] : [element('latest_reply', reply)]),
    element('feedback', feedback),
    ...toolRows(turn),
    '</conversation>',
  ].join('\n');
};

/** Whether a document of the turn was created with a hint that it is a skill. */
export const hasSkillDocument = (turn: readonly ChatMessage[]): boolean =>
  turn.some(({ metadata }) => {
    const documents = metadata?.['documents'];
    return (
      Array.isArray(documents) &&
      documents.some((document) => typeof document === 'object' && document !== null && 'hintIsSkill' in document && document.hintIsSkill === true)
    );
  });
