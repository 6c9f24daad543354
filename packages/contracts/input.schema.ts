import { z } from 'zod';
import { computeByteLength } from './digest.ts';
import type { InputProblem } from './failures.ts';
import type { FieldSpec, FieldSpecs, PipelineInput } from './fields.ts';
import { findUnserializable } from './json-value.ts';
import type { PipelineContract } from './pipeline.ts';
import { toProblems } from './problems.schema.ts';

const MAX_ITEM_IDS = 1_000;
const MAX_ITEM_IDS_BYTES = 64 * 1024;
const MAX_ID_CHARACTERS = 1_000;

const text = z
  .string()
  .max(MAX_ID_CHARACTERS)
  .refine((value) => value.trim() !== '', { error: 'must not be blank' })
  .refine((value) => findUnserializable(value) === undefined, { error: 'must be well-formed text without NUL' });

const itemIds = z
  .array(text)
  .min(1)
  .max(MAX_ITEM_IDS)
  .refine((ids) => computeByteLength(JSON.stringify(ids)) <= MAX_ITEM_IDS_BYTES, { error: 'must not exceed 64 KiB in all' });

const threshold = z.union([z.strictObject({ count: z.int().min(0) }), z.strictObject({ share: z.number().min(0).lt(1) })], {
  error: 'expected {count: integer ≥ 0} or {share: 0 ≤ s < 1}',
});

const fieldSchema = (spec: FieldSpec): z.ZodType => {
  switch (spec.kind) {
    case 'id':
      return text;
    case 'ids':
      return z.array(text).max(spec.max);
    case 'integer':
      return z.int().min(spec.min).max(spec.max);
    case 'number':
      return z.number().min(spec.min).max(spec.max);
    case 'boolean':
      return z.boolean();
    case 'choice':
      return z.enum(spec.values as [string, ...string[]]);
    default:
      return spec satisfies never;
  }
};

const withPresence = (spec: FieldSpec): z.ZodType => {
  const schema = fieldSchema(spec);
  if ('default' in spec && spec.default !== undefined) return schema.default(spec.default);
  return spec.optional === true ? schema.optional() : schema;
};

/** Strict schema of a pipeline's one start argument: its own fields beside the controls, unknown keys refused. */
const inputSchema = (contract: PipelineContract) => {
  const fields = Object.fromEntries(Object.entries(contract.fields).map(([name, spec]) => [name, withPresence(spec)]));
  return z
    .strictObject({
      ...fields,
      dryRun: z.boolean().default(false),
      force: z.boolean().default(false),
      itemIds: itemIds.optional(),
      maxItems: z.int().min(1).optional(),
      maxConcurrency: z.int().min(1).max(contract.maxConcurrencyLimit).optional(),
      redriveOf: text.optional(),
      failureThreshold: threshold.optional(),
      requestId: text.optional(),
    })
    .superRefine((input, context) => {
      if (input.redriveOf === undefined) return;
      const excluded = [...(input.force ? ['force'] : []), ...(['itemIds', 'maxItems'] as const).filter((key) => input[key] !== undefined)];
      for (const key of excluded) context.addIssue({ code: 'custom', path: [key], message: 'cannot be combined with redriveOf' });
    });
};

const refuse = (message: string): RefusedInput => ({ ok: false, problems: [{ path: '', code: 'invalid_argument', message }] });

interface RefusedInput {
  readonly ok: false;
  readonly problems: readonly InputProblem[];
}

export type ParsedInput<F extends FieldSpecs> = { readonly ok: true; readonly input: PipelineInput<F> } | RefusedInput;

/** Parses a start's argument list strictly; all problems at once, nothing coerced. */
export const parsePipelineInput = <F extends FieldSpecs>(contract: PipelineContract<F>, args: readonly unknown[]): ParsedInput<F> => {
  if (args.length > 1) return refuse(`expected exactly one argument, got ${args.length}`);
  const [payload] = args;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return refuse('expected an object');
  const schema = inputSchema(contract as PipelineContract);
  const parsed = schema.safeParse(payload, { reportInput: true });
  if (parsed.success) return { ok: true, input: parsed.data as unknown as PipelineInput<F> };
  const known = Object.keys(schema.shape);
  return { ok: false, problems: parsed.error.issues.flatMap((issue) => toProblems(issue, { known })) };
};
