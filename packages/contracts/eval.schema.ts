import { z } from 'zod';
import { ASSERTION_TYPES } from './eval-case.ts';
import type { Assertion, EvalMessage, ImportedCase, JsonValue } from './eval-case.ts';
import type { EvalRunConfig, TargetConfig } from './eval-run.ts';

const text = z.string().refine((value) => value.trim() !== '', 'must not be blank');
const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the NAME of an environment variable, never the key itself');
const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https address' });

/** A message of an imported case. */
export const evalMessageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
}) satisfies z.ZodType<EvalMessage>;

/** An assertion in Strata's own shape. */
export const assertionSchema = z.strictObject({
  type: z.enum(ASSERTION_TYPES),
  values: z.array(z.string()).readonly(),
  threshold: z.number().nonnegative().exactOptional(),
  negate: z.boolean().exactOptional(),
}) satisfies z.ZodType<Assertion>;

const jsonValue: z.ZodType<JsonValue> = z.json();

/** Whatever an importer hands over, whichever shape the file had. Ids are at most 300 characters. */
export const importedCaseSchema = z.strictObject({
  id: text.max(300).exactOptional(),
  input: z.array(evalMessageSchema).min(1).readonly(),
  assertions: z.array(assertionSchema).readonly(),
  metadata: z.record(z.string(), jsonValue),
}) satisfies z.ZodType<ImportedCase>;

const openAiTargetSchema = z.strictObject({
  kind: z.literal('openai'),
  baseUrl: httpUrl,
  model: text,
  apiKeyEnv: environmentName.exactOptional(),
  system: z.string().exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  maxOutputTokens: z.int().min(1).exactOptional(),
  price: z.strictObject({ inputPerMillion: z.number().nonnegative(), outputPerMillion: z.number().nonnegative() }).exactOptional(),
});

/** The target of a run, as the CLI, a file or an API gives it. */
export const targetConfigSchema = z.discriminatedUnion('kind', [
  openAiTargetSchema,
  z.strictObject({ kind: z.literal('http'), url: httpUrl, apiKeyEnv: environmentName.exactOptional() }),
  z.strictObject({ kind: z.literal('module'), module: text }),
]) satisfies z.ZodType<TargetConfig>;

/** The config of a run; k and concurrency are bounded so that one case stays one bounded item. */
export const evalRunConfigSchema = z.strictObject({
  k: z.int().min(1).max(20).exactOptional(),
  passThreshold: z.number().min(0).max(1).exactOptional(),
  trajectoryTimeoutMs: z.int().min(1).max(3_600_000).exactOptional(),
  maxConcurrency: z.int().min(1).max(20).exactOptional(),
  judge: openAiTargetSchema.exactOptional(),
}) satisfies z.ZodType<EvalRunConfig>;
