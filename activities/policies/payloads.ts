const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Text for the inside of an XML element or attribute. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

/** What feedback signals share with the message that they come from. */
export interface FeedbackShared {
  readonly message: string;
  readonly messageId: string;
  readonly agentId?: string | undefined;
  readonly topicId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly assistantMessageId?: string | undefined;
  readonly anchorMessageId?: string | undefined;
  readonly trigger?: string | undefined;
  readonly serializedContext?: string | undefined;
  readonly sourceHints?: Readonly<Record<string, unknown>> | undefined;
}

/** Excerpts that speak for a judgement. */
export type Evidence = readonly { readonly cue: string; readonly excerpt: string }[];
