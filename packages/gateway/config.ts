import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { id } from '../agent-signal/fields.schema.ts';
import { STRATA_QUEUE } from '../contracts/queues.ts';
import { definedOnly } from '../runtime/env.ts';
import type { Env } from '../runtime/env.ts';
import { agentSignalSwitch, signalLimits } from '../runtime/signal-config.ts';
import type { SignalConfig } from '../runtime/signal-config.ts';
import { isLoopback, withoutBrackets } from './loopback.ts';
import { UserError } from '../runtime/user-error.ts';

const tokenSchema = z
  .strictObject({
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the token, 64 hex digits'),
    kind: z.enum(['service', 'user']),
    userId: id.optional(),
    workspaceId: id.optional(),
  })
  .refine(({ kind, userId }) => kind === 'service' || userId !== undefined, { error: 'a user token names its userId' });

/** A token by the hash of its text, and whom it speaks for. */
export type GatewayToken = z.output<typeof tokenSchema>;

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const ACCESS: readonly string[] = ['STRATA_GATEWAY_ADDRESS', 'STRATA_TOKENS', 'STRATA_WEBHOOK_SECRETS'];
const OPEN_TO_MANY = {
  path: ['STRATA_GATEWAY_ADDRESS'],
  message: 'must be a loopback address unless STRATA_TOKENS or STRATA_WEBHOOK_SECRETS says who may call',
  // Said beside what is wrong with other variables, where these three are what they should be.
  when: ({ issues }: z.core.ParsePayload) => !issues.some(({ path }) => ACCESS.includes(String(path?.[0]))),
};

const isSecret = (secret: string): boolean => {
  try {
    new Webhook(secret);
    return true;
  } catch {
    return false;
  }
};

/** Variables of a gateway. */
export const gatewayEnvSchema = z
  .object({
    DATABASE_URL: z.string('is required to start the gateway'),
    STRATA_GATEWAY_ADDRESS: z
      .string()
      .regex(/^\S+:\d{1,5}$/, 'must be an address like 127.0.0.1:8080')
      .default('127.0.0.1:8080'),
    STRATA_TOKENS: z.string().default('[]').transform(json).pipe(z.array(tokenSchema, 'must be a JSON list of {hash, kind, userId?, workspaceId?}')),
    STRATA_WEBHOOK_SECRETS: z
      .string()
      .default('')
      .transform((text) =>
        text
          .split(',')
          .map((secret) => secret.trim())
          .filter((secret) => secret !== ''),
      )
      .refine((secrets) => secrets.every(isSecret), 'must be secrets like whsec_<base64>, separated by a comma'),
    STRATA_DEFAULT_USER: id.default('local'),
    STRATA_TASK_QUEUES: z.string().default(STRATA_QUEUE),
    STRATA_AGENT_SIGNAL: agentSignalSwitch,
    STRATA_SIGNAL_LIMITS: signalLimits,
  })
  .refine(({ STRATA_GATEWAY_ADDRESS: address, STRATA_TOKENS: tokens, STRATA_WEBHOOK_SECRETS: secrets }) => {
    const isOpen = tokens.length === 0 && secrets.length === 0;
    return !isOpen || isLoopback(hostOf(address));
  }, OPEN_TO_MANY);

const hostOf = (address: string): string => withoutBrackets(address.slice(0, address.lastIndexOf(':')));

/** Settings of a gateway. */
export interface GatewayConfig extends SignalConfig {
  readonly databaseUrl: string;
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly GatewayToken[];
  readonly webhookSecrets: readonly string[];
  readonly defaultUser: string;
  readonly taskQueue: string;
}

/** Reads them; throws one UserError (exit 2) that lists every problem. */
export const loadGatewayConfig = (env: Env): GatewayConfig => {
  const parsed = gatewayEnvSchema.safeParse(definedOnly(env));
  if (!parsed.success) throw new UserError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
  const {
    DATABASE_URL,
    STRATA_GATEWAY_ADDRESS: address,
    STRATA_TOKENS,
    STRATA_WEBHOOK_SECRETS,
    STRATA_DEFAULT_USER,
    STRATA_TASK_QUEUES,
  } = parsed.data;
  return Object.freeze({
    limits: parsed.data.STRATA_SIGNAL_LIMITS,
    isOnByDefault: parsed.data.STRATA_AGENT_SIGNAL === 'on',
    databaseUrl: DATABASE_URL,
    host: hostOf(address),
    port: Number(address.slice(address.lastIndexOf(':') + 1)),
    tokens: STRATA_TOKENS,
    webhookSecrets: STRATA_WEBHOOK_SECRETS,
    defaultUser: STRATA_DEFAULT_USER,
    taskQueue: STRATA_TASK_QUEUES.split(',')[0]?.trim() ?? STRATA_QUEUE,
  });
};
