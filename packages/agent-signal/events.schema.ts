import { z } from 'zod';
import { computeByteLength } from '../contracts/digest.ts';
import type { InputProblem } from '../contracts/failures.ts';
import { isDeeper, toStorable } from '../contracts/json-value.ts';
import { toProblems } from '../contracts/problems.schema.ts';
import { EVENT_FAILURES } from '../contracts/signal-events.ts';
import type { EventFailureType, SourceEvent } from '../contracts/signal-events.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { BOUND_ELSEWHERE, findForeignName } from './caller.ts';
import type { Caller } from './caller.ts';
import { id, int, nodeId, sourceId } from './fields.schema.ts';
import { deriveOwnerId, deriveScopeKey, findScopeKeyProblem } from './scope-key.ts';
import type { ScopeParts } from './scope-key.ts';
import { findSourceSchema, sourceTypes } from './source-registry.schema.ts';
import { AGENT_SIGNAL_CLIENT_SOURCE_TYPES, AGENT_SIGNAL_MANUAL_SOURCE_TYPES, isClientSourceType, isManualSourceType } from './source-types.ts';

/** `server`: all types, an explicit scope; `browser` and `manual`: what a user's own token may send. */
export type Door = 'server' | 'browser' | 'manual';

export interface RefusedEvent {
  readonly ok: false;
  readonly type: EventFailureType;
  readonly problems: readonly InputProblem[];
}

export type ParsedEvent = { readonly ok: true; readonly event: SourceEvent } | RefusedEvent;

const LEVELS = 64;

const cause = z.strictObject({ rootSourceId: nodeId, chainId: nodeId, depth: int });

const base = { sourceType: id, sourceId, payload: z.looseObject({}), timestamp: int.optional(), userId: id.optional(), agentId: id.optional() };

/** What a server's door takes, and what a user's doors take. */
export const eventEnvelopes = {
  server: z.strictObject({ ...base, workspaceId: id.optional(), scopeKey: z.string().optional(), cause: cause.optional() }),
  user: z.strictObject(base),
};

type Envelope = z.output<(typeof eventEnvelopes)['server']>;

const refuse = (type: EventFailureType, ...problems: readonly InputProblem[]): RefusedEvent => ({ ok: false, type, problems });

const invalid = (path: string, message: string): RefusedEvent =>
  refuse(EVENT_FAILURES.invalidInput, { path, code: 'invalid_value', message: path === '' ? message : `${path}: ${message}` });

const parseWith = <S extends z.ZodObject>(
  schema: S,
  value: unknown,
  at?: string,
): RefusedEvent | { readonly ok: true; readonly value: z.output<S> } => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  const place = { ...(at === undefined ? {} : { at }), known: Object.keys(schema.shape) };
  return refuse(EVENT_FAILURES.invalidInput, ...parsed.error.issues.flatMap((issue) => toProblems(issue, place)));
};

const checkType = (door: Door, sourceType: string): RefusedEvent | undefined => {
  const allowed = (types: readonly string[]): RefusedEvent =>
    refuse(EVENT_FAILURES.sourceTypeNotAllowed, {
      path: 'sourceType',
      code: 'not_allowed',
      message: `${sourceType} may not be sent here; allowed: ${types.join(', ')}`,
    });
  if (door === 'browser' && !isClientSourceType(sourceType)) return allowed(AGENT_SIGNAL_CLIENT_SOURCE_TYPES);
  if (door === 'manual' && !isManualSourceType(sourceType)) return allowed(AGENT_SIGNAL_MANUAL_SOURCE_TYPES);
  return findSourceSchema(sourceType) === undefined
    ? invalid('sourceType', `unknown source type ${sourceType}; known types: ${sourceTypes.join(', ')}`)
    : undefined;
};

/** A user's token speaks for nobody else, nor does a bound service; any other one names whom it speaks for. */
const chooseUser = ({ userId, workspaceId }: Envelope, payload: Readonly<Record<string, unknown>>, caller: Caller): string | RefusedEvent => {
  const own = caller.userId;
  const said = typeof payload['userId'] === 'string' ? payload['userId'] : undefined;
  const foreign = findForeignName(caller, { userId, workspaceId }) ?? (findForeignName(caller, { userId: said }) && 'payload.userId');
  if (foreign !== undefined)
    return refuse(EVENT_FAILURES.forbidden, { path: foreign, code: 'not_allowed', message: `${foreign}: ${BOUND_ELSEWHERE}` });
  if (caller.kind === 'user') {
    if (userId !== undefined && userId !== own) return invalid('userId', 'is another user than the one of the token');
    if (payload['userId'] !== undefined && payload['userId'] !== own) return invalid('payload.userId', 'is another user than the one of the token');
  }
  const chosen = caller.kind === 'user' ? own : (userId ?? said ?? own);
  return chosen ?? refuse(EVENT_FAILURES.invalidInput, { path: 'userId', code: 'missing', message: 'Missing userId in payload' });
};

const partsOf = (
  sourceType: string,
  payload: Readonly<Record<string, unknown>>,
  context: { readonly agentId?: string | undefined; readonly userId: string },
): ScopeParts => {
  const text = (key: string): string | undefined => (typeof payload[key] === 'string' ? payload[key] : undefined);
  return {
    topicId: text('topicId'),
    taskId: text('taskId'),
    platform: text('platform'),
    applicationId: text('applicationId'),
    platformThreadId: text('platformThreadId'),
    agentId: text('agentId') ?? context.agentId,
    userId: text('userId') ?? context.userId,
    ...(sourceType === 'agent.self_feedback_intent.declared' ? { operationId: text('operationId') } : {}),
  };
};

/** Parses one envelope strictly, as the door asks: nothing is coerced, all problems of a level at once. */
export const parseEvent = (
  body: unknown,
  { door, caller, limits }: { readonly door: Door; readonly caller: Caller; readonly limits: SignalLimits },
): ParsedEvent => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return invalid('', 'expected an object');
  if (isDeeper(body, LEVELS)) return invalid('', `values may lie within each other ${LEVELS} deep at most`);
  const bytes = computeByteLength(JSON.stringify(body));
  if (bytes > limits.eventBytes)
    return refuse(EVENT_FAILURES.payloadTooLarge, {
      path: '',
      code: 'payload_too_large',
      message: `the event has ${bytes} bytes, at most ${limits.eventBytes} are allowed`,
    });
  const envelope = parseWith(door === 'server' ? eventEnvelopes.server : eventEnvelopes.user, body);
  if (!envelope.ok) return envelope;
  const { sourceType, sourceId: fact, timestamp, agentId, ...more } = envelope.value as Envelope;
  const refusedType = checkType(door, sourceType);
  if (refusedType !== undefined) return refusedType;
  const payload = parseWith(findSourceSchema(sourceType) as z.ZodObject, more.payload, 'payload');
  if (!payload.ok) return payload;
  const kept = toStorable(payload.value);
  const userId = chooseUser(envelope.value as Envelope, kept, caller);
  if (typeof userId !== 'string') return userId;
  const problem = more.scopeKey === undefined ? undefined : findScopeKeyProblem(more.scopeKey);
  if (problem !== undefined) return invalid('scopeKey', problem);
  if ((more.cause?.depth ?? 0) > limits.causeDepth)
    return refuse(EVENT_FAILURES.causeDepthExceeded, {
      path: 'cause.depth',
      code: 'cause_depth_exceeded',
      message: `cause.depth: at most ${limits.causeDepth} events may follow from each other`,
    });
  const workspaceId = more.workspaceId ?? caller.workspaceId;
  return {
    ok: true,
    event: {
      ownerId: deriveOwnerId({ workspaceId, userId }),
      scopeKey: more.scopeKey ?? deriveScopeKey(partsOf(sourceType, kept, { agentId, userId })),
      sourceType,
      sourceId: fact,
      payload: kept,
      userId,
      ...(agentId === undefined ? {} : { agentId }),
      ...(workspaceId === undefined ? {} : { workspaceId }),
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(more.cause === undefined ? {} : { cause: more.cause }),
    },
  };
};
