import { computeByteLength } from '../contracts/digest.ts';
import { findUnserializable } from '../contracts/json-value.ts';

/** What a scope key may be derived from; blank counts as missing. */
export interface ScopeParts {
  readonly topicId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly platform?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly platformThreadId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly userId?: string | undefined;
  /** Only a declared intent without a topic has its operation as scope. */
  readonly operationId?: string | undefined;
}

/** Kinds of scope; an explicit key is taken if it begins with one of them. */
const SCOPE_PREFIXES = ['topic:', 'task:', 'bot:', 'agent:', 'user:', 'operation:', 'fallback:'] as const;

// A derived one has at most 1,806 and an owner 603: together they stay below the 2,704 bytes that a row of an index may have.
const SCOPE_KEY_BYTES = 900;

const encode = (part: string): string => part.replaceAll('%', '%25').replaceAll(':', '%3A');

const given = (part: string | undefined): string | undefined => {
  const trimmed = part?.trim();
  return trimmed === undefined || trimmed === '' ? undefined : encode(trimmed);
};

/** Scope key by one priority: topic, task, operation, bot (all three parts), agent and user, user, fallback. Two tuples never give one key. */
export const deriveScopeKey = (parts: ScopeParts): string => {
  const [topic, task, operation] = [given(parts.topicId), given(parts.taskId), given(parts.operationId)];
  const [platform, application, thread] = [given(parts.platform), given(parts.applicationId), given(parts.platformThreadId)];
  const [agent, user] = [given(parts.agentId), given(parts.userId)];
  if (topic !== undefined) return `topic:${topic}`;
  if (task !== undefined) return `task:${task}`;
  if (operation !== undefined) return `operation:${operation}`;
  if (platform !== undefined && application !== undefined && thread !== undefined) return `bot:${platform}:${application}:${thread}`;
  if (user === undefined) return 'fallback:global';
  return agent === undefined ? `user:${user}` : `agent:${agent}:user:${user}`;
};

/** Why an explicit scope key is not one, or undefined. */
export const findScopeKeyProblem = (scopeKey: string): string | undefined => {
  if (computeByteLength(scopeKey) > SCOPE_KEY_BYTES) return `must not exceed ${SCOPE_KEY_BYTES} bytes`;
  if (findUnserializable(scopeKey) !== undefined) return 'must be well-formed text without NUL';
  return SCOPE_PREFIXES.some((prefix) => scopeKey.startsWith(prefix) && scopeKey.length > prefix.length)
    ? undefined
    : `must begin with one of ${SCOPE_PREFIXES.join(' ')}`;
};

/** Owner of a scope: `ws:<id>` for a workspace, else the user's plain id; `:` and `%` are encoded, so the two never meet. */
export const deriveOwnerId = ({ workspaceId, userId }: { readonly workspaceId?: string | undefined; readonly userId: string }): string => {
  const workspace = given(workspaceId);
  return workspace === undefined ? encode(userId.trim()) : `ws:${workspace}`;
};
