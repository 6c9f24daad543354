import { z } from 'zod';
import type { OpenAiTarget } from '../contracts/eval-run.ts';
import { targetConfigSchema } from '../contracts/eval.schema.ts';
import { SIGNAL_LIMITS } from '../contracts/signal-limits.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';
import { UserError } from './user-error.ts';

/** Which model a worker asks. */
export type SignalModelSetting = { readonly kind: 'offline' } | { readonly kind: 'none' } | OpenAiTarget;

const bound = z.int().min(1);
const names = Object.keys(SIGNAL_LIMITS) as (keyof SignalLimits)[];
const schema = z.strictObject(Object.fromEntries(names.map((name) => [name, bound.optional()])));

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** `STRATA_SIGNAL_LIMITS`: JSON by the names of the bounds, each a whole number ≥ 1; what is left out keeps its default. */
export const signalLimits = z
  .string()
  .default('{}')
  .transform((text, context): SignalLimits => {
    const parsed = schema.safeParse(readJson(text));
    if (parsed.success) return { ...SIGNAL_LIMITS, ...(parsed.data as Partial<SignalLimits>) };
    context.addIssue({ code: 'custom', message: `must be JSON like {"idleMs":1000}; known names: ${names.join(', ')}` });
    return z.NEVER;
  });

/** Whether agent signal is on for users without a flag of their own. */
export const agentSignalSwitch = z.enum(['on', 'off'], 'must be on or off').default('off');

const modelSchema = z.union([
  z.enum(['offline', 'none']).transform((kind) => ({ kind })),
  targetConfigSchema.refine(({ kind }) => kind === 'openai'),
]);

/** `STRATA_SIGNAL_MODEL`: `offline` (rules over words), `none`, or JSON of a model behind the OpenAI protocol. */
export const signalModel = z
  .string()
  .default('offline')
  .transform((text, context): SignalModelSetting => {
    const parsed = modelSchema.safeParse(readJson(text));
    if (parsed.success) return parsed.data as SignalModelSetting;
    context.addIssue({
      code: 'custom',
      message: 'must be offline, none, or JSON like {"kind":"openai","baseUrl":"https://…","model":"…","apiKeyEnv":"…"}',
    });
    return z.NEVER;
  });

const doorEnvSchema = z.object({ STRATA_SIGNAL_LIMITS: signalLimits, STRATA_AGENT_SIGNAL: agentSignalSwitch });

/** What doors read of the environment. */
export interface SignalConfig {
  readonly limits: SignalLimits;
  readonly isOnByDefault: boolean;
}

/** Reads it; throws one UserError (exit 2) that lists every problem. */
export const loadSignalConfig = (env: Env): SignalConfig => {
  const parsed = doorEnvSchema.safeParse(definedOnly(env));
  if (!parsed.success) throw new UserError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
  return { limits: parsed.data.STRATA_SIGNAL_LIMITS, isOnByDefault: parsed.data.STRATA_AGENT_SIGNAL === 'on' };
};
