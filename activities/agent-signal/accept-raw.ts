import { parseEvent } from '../../packages/agent-signal/events.schema.ts';
import type { RawSignal } from '../../packages/contracts/agent-signal-scope.ts';
import type { ScopeIdentity } from '../../packages/contracts/scope-identity.ts';
import { cutText } from '../../packages/contracts/json-value.ts';
import type { Database } from '../../packages/database/database.ts';
import { admitEvent } from '../../packages/database/signal-admission.ts';
import { isUnstorable } from '../../packages/database/errors.ts';
import { storeRejection } from '../../packages/database/signal-rejections.ts';
import type { Rejection } from '../../packages/database/signal-rejections.ts';
import type { EmitRules } from './emit.ts';

const EXCERPT_BYTES = 200;

type Reason = Omit<Rejection, 'excerpt'>;

/** An owner as a scope that was started by hand spells it: what is no encoding stands for itself. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** A scope's own signals say neither whose nor which scope they are, or say it right. */
const withScope = (body: unknown, { ownerId, scopeKey }: ScopeIdentity): unknown => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const isUser = !ownerId.startsWith('ws:');
  const owner = isUser ? { userId: decode(ownerId) } : { workspaceId: decode(ownerId.slice(3)) };
  return { scopeKey, ...owner, ...body };
};

const judge = async (
  db: Database,
  raw: RawSignal,
  { scope, rules }: { readonly scope: ScopeIdentity; readonly rules: EmitRules },
): Promise<Reason | null> => {
  if (raw.fault !== undefined) return { reason: raw.fault, path: '' };
  const parsed = parseEvent(withScope(raw.body, scope), { door: 'server', caller: { kind: 'service' }, limits: rules.limits });
  if (!parsed.ok) return { reason: parsed.problems[0]?.code ?? parsed.type, path: parsed.problems[0]?.path ?? '' };
  const { ownerId, scopeKey } = parsed.event;
  if (ownerId !== scope.ownerId || scopeKey !== scope.scopeKey)
    return { reason: 'scope_mismatch', path: ownerId === scope.ownerId ? 'scopeKey' : 'userId' };
  const admission = await admitEvent(db, parsed.event, rules).catch((error: unknown) => {
    if (isUnstorable(error)) return { kind: 'unstorable' } as const;
    throw error;
  });
  switch (admission.kind) {
    case 'accepted':
    case 'duplicate':
      return null;
    case 'forbidden':
      return { reason: 'agent_not_usable', path: 'agentId' };
    case 'unstorable':
      return { reason: 'unstorable', path: '' };
    case 'off':
      return { reason: 'feature_disabled', path: '' };
    case 'refused':
      return { reason: admission.reason === 'backlogFull' ? 'backlog_full' : 'rate_limited', path: '' };
    default:
      return admission satisfies never;
  }
};

/** Makes rows of what came to a scope by signal, in order of arrival; what is no event becomes a rejection. Repeating it changes nothing. */
export const acceptRaw = async (
  db: Database,
  { raw, runId, firstPlace, ...scope }: ScopeIdentity & { readonly raw: readonly RawSignal[]; readonly runId: string; readonly firstPlace: number },
  rules: EmitRules,
): Promise<{ readonly rejected: number }> => {
  let rejected = 0;
  for (const [index, signal] of raw.entries()) {
    const reason = await judge(db, signal, { scope, rules });
    if (reason === null) continue;
    rejected++;
    await storeRejection(db, {
      ...scope,
      reason: reason.reason,
      path: cutText(reason.path, EXCERPT_BYTES),
      runId,
      place: firstPlace + index,
      excerpt: cutText(signal.excerpt, EXCERPT_BYTES),
    });
  }
  return { rejected };
};
