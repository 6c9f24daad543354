import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { Webhook } from 'standardwebhooks';
import type { Caller } from '../agent-signal/caller.ts';
import type { GatewayToken } from './config.ts';
import { isLoopback } from './loopback.ts';
import { problem } from './problems.ts';

/** Who may call: tokens by the hash of their text, and the keys that sign webhooks, the current one and the next. */
export interface CallerRules {
  readonly tokens: readonly GatewayToken[];
  readonly webhookSecrets: readonly string[];
  /** Whom everybody speaks for where no token is configured; then the gateway listens on the loopback address only. */
  readonly defaultUser: string;
}

/** What routes know of their caller. */
export interface GatewayEnv {
  readonly Variables: { caller: Caller; body: string };
}

const BEARER = /^Bearer\s+(\S+)$/i;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const findToken = (tokens: readonly GatewayToken[], given: string): GatewayToken | undefined => {
  const hash = hashOf(given);
  // Every token is compared, so that the time tells nothing.
  return tokens.filter((token) => timingSafeEqual(Buffer.from(token.hash, 'hex'), hash))[0];
};

const isSigned = (secrets: readonly string[], headers: Record<string, string>, body: string): boolean =>
  secrets.some((secret) => {
    try {
      // Whether the body is JSON is for the route to say.
      new Webhook(secret).verify(body, headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  });

const isLocalUrl = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

/**
 * Whether no page of another site has a browser make this call; nothing else protects an open gateway from it. A browser names the page's site as the
 * origin, and as the host where that site has pointed its own name to this machine.
 */
const isOfThisMachine = ({ req }: Context): boolean => {
  const [origin, host] = [req.header('origin'), req.header('host')];
  return isLocalUrl(req.url) && (host === undefined || isLocalUrl(`http://${host}`)) && (origin === undefined || isLocalUrl(origin));
};

const callerOf = (context: Context, body: string, { tokens, webhookSecrets, defaultUser }: CallerRules): Caller | undefined => {
  const [, bearer] = BEARER.exec(context.req.header('authorization') ?? '') ?? [];
  if (bearer !== undefined) {
    const token = findToken(tokens, bearer);
    if (token === undefined) return undefined;
    const { kind, userId, workspaceId } = token;
    return { kind, userId, workspaceId, isBound: userId !== undefined || workspaceId !== undefined };
  }
  if (context.req.header('webhook-signature') !== undefined) {
    // The library refuses a timestamp that is more than five minutes off: a replay comes too late.
    return isSigned(webhookSecrets, context.req.header(), body) ? { kind: 'service' } : undefined;
  }
  const isOpen = tokens.length === 0 && webhookSecrets.length === 0;
  return isOpen && isOfThisMachine(context) ? { kind: 'service', userId: defaultUser } : undefined;
};

/** Lets known callers through: a bearer token, or a webhook signed as Standard Webhooks has it. */
export const authenticate =
  (rules: CallerRules): MiddlewareHandler<GatewayEnv> =>
  async (context, next) => {
    const body = context.req.method === 'GET' ? '' : await context.req.text();
    const caller = callerOf(context, body, rules);
    if (caller === undefined)
      return problem({ status: 401, type: 'Unauthorized', detail: 'a bearer token or a signed webhook is required', error: 'Invalid signature' });
    context.set('caller', caller);
    context.set('body', body);
    await next();
    return undefined;
  };
