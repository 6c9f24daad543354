import { Hono } from 'hono';
import type { Context } from 'hono';
import { z } from 'zod';
import { BOUND_ELSEWHERE, findForeignName } from '../agent-signal/caller.ts';
import type { Door } from '../agent-signal/events.schema.ts';
import { id } from '../agent-signal/fields.schema.ts';
import { deriveOwnerId } from '../agent-signal/scope-key.ts';
import { readScopeStatus } from '../database/signal-status.ts';
import { isReceiptCursor, listReceipts } from '../database/signal-receipts.ts';
import { findEvents, readTrace } from '../database/signal-traces.ts';
import { EventRefused } from '../runtime/signal-answers.ts';
import { enqueueEvent, requireEvent } from '../runtime/signal-doors.ts';
import type { Sender, SignalDoorDeps } from '../runtime/signal-doors.ts';
import { emitEvent } from '../runtime/signal-emit.ts';
import type { GatewayEnv } from './callers.ts';
import { judgeError, problem, requireInput } from './problems.ts';

const MOST_EVENTS = 100;
const MOST_RECEIPTS = 50;

type GatewayContext = Context<GatewayEnv>;

const readBody = (context: GatewayContext): unknown => {
  try {
    return JSON.parse(context.get('body'));
  } catch {
    throw new EventRefused('InvalidInput', [{ path: '', code: 'invalid_json', message: 'the body is not JSON' }]);
  }
};

/** The server door is for services, the two others are for users; where nobody is configured, the caller is both. */
const senderOf = (context: GatewayContext, door: Door): Sender => {
  const caller = context.get('caller');
  if (door === 'server') {
    if (caller.kind === 'service') return { door, caller };
    throw new EventRefused('SourceTypeNotAllowed', [
      { path: '', code: 'service_only', message: 'this door is for services; users have /agent-signal/client-events and /agent-signal/triggers' },
    ]);
  }
  if (caller.userId === undefined)
    throw new EventRefused('SourceTypeNotAllowed', [{ path: '', code: 'user_only', message: "this door needs a user's token" }]);
  return { door, caller: { ...caller, kind: 'user' } };
};

const ownerQuery = z.object({ userId: id.optional(), workspaceId: id.optional() });

/** Only a service says in its query whose data it asks for, as it says in a body; a user's token asks for its user's and workspace's. */
const ownerOf = (context: GatewayContext): string => {
  const caller = context.get('caller');
  const named = caller.kind === 'service' ? requireInput(ownerQuery, context.req.query()) : {};
  const foreign = findForeignName(caller, named);
  if (foreign !== undefined) throw new EventRefused('Forbidden', [{ path: foreign, code: 'not_allowed', message: `${foreign}: ${BOUND_ELSEWHERE}` }]);
  const [userId, workspaceId] = [named.userId ?? caller.userId, named.workspaceId ?? caller.workspaceId];
  if (userId === undefined && workspaceId === undefined)
    throw new EventRefused('InvalidInput', [
      { path: 'userId', code: 'missing', message: 'Missing userId in query: a service says for whom it asks' },
    ]);
  return deriveOwnerId({ workspaceId, userId: userId ?? '' });
};

const notFound = (detail: string): Response => problem({ status: 404, type: 'NotFound', detail });

/** What one event alone would have been answered, in order. */
const enqueueEach = (events: readonly unknown[], enqueue: (event: unknown) => Promise<unknown>): Promise<readonly unknown[]> =>
  events.reduce<Promise<unknown[]>>(async (before, event) => [...(await before), await enqueue(event)], Promise.resolve([]));

const receiptQuery = z.strictObject({
  agentId: z.string().optional(),
  topicId: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(MOST_RECEIPTS).default(20),
  cursor: z.string().refine(isReceiptCursor, 'is the nextCursor of another page').optional(),
  sinceCreatedAt: z.iso.datetime({ precision: 6 }).or(z.iso.datetime()).optional(),
  userId: z.string().optional(),
  workspaceId: z.string().optional(),
});

/** The doors of agent signal, and what an owner may look at. */
export const signalRoutes = (deps: SignalDoorDeps, onError: (error: unknown) => void): Hono<GatewayEnv> => {
  const routes = new Hono<GatewayEnv>();
  routes.post('/events', async (context) => {
    const [sender, body] = [senderOf(context, 'server'), readBody(context)];
    if (!Array.isArray(body)) return context.json(await enqueueEvent(deps, body, sender), 202);
    if (body.length > MOST_EVENTS)
      throw new EventRefused('PayloadTooLarge', [
        { path: '', code: 'too_many', message: `${body.length} events, at most ${MOST_EVENTS} are allowed` },
      ]);
    const enqueue = (event: unknown) =>
      enqueueEvent(deps, event, sender).catch((error: unknown) => ({ accepted: false, ...judgeError(error, onError) }));
    return context.json({ results: await enqueueEach(body, enqueue) }, 202);
  });
  routes.post('/emit', async (context) => {
    const [sender, body] = [senderOf(context, 'server'), readBody(context)];
    const answer = await emitEvent(deps, body, sender);
    return context.json(answer ?? { accepted: false, scopeKey: requireEvent(body, sender, deps.limits).scopeKey });
  });
  routes.post('/client-events', async (context) => context.json(await enqueueEvent(deps, readBody(context), senderOf(context, 'browser')), 202));
  routes.post('/triggers', async (context) => context.json(await enqueueEvent(deps, readBody(context), senderOf(context, 'manual')), 202));
  routes.get('/scopes/:scopeKey', async (context) => {
    const scopeKey = context.req.param('scopeKey');
    const status = await readScopeStatus(deps.db, { ownerId: ownerOf(context), scopeKey });
    return status === null ? notFound(`no scope ${scopeKey} of this owner`) : context.json(status);
  });
  routes.get('/traces/:sourceType/:sourceId', async (context) => {
    const { sourceType, sourceId } = context.req.param();
    const ownerId = ownerOf(context);
    const [event, ...others] = await findEvents(deps.db, { ownerId, sourceType, sourceId, scopeKey: context.req.query('scopeKey') });
    if (event === undefined) return notFound(`no event ${sourceType} ${sourceId} of this owner`);
    if (others.length > 0) {
      const scopes = [event, ...others].map(({ scopeKey }) => scopeKey).join(', ');
      throw new EventRefused('InvalidInput', [{ path: 'scopeKey', code: 'ambiguous', message: `scopeKey: the event is in ${scopes}; name one` }]);
    }
    return context.json({ ...event, ...(await readTrace(deps.db, event.eventId)) });
  });
  routes.get('/receipts', async (context) => {
    const query = requireInput(receiptQuery, context.req.query());
    return context.json(await listReceipts(deps.db, { ...query, ownerId: ownerOf(context) }));
  });
  return routes;
};
