import { z } from 'zod';
import { invalidOutput } from './model-error.ts';
import type { TargetAnswer } from './target.ts';

const figure = z.number().nonnegative().exactOptional();

/** What an HTTP agent or a module may answer besides a bare text; other keys are ignored, since they are the agent's own. */
const targetAnswerSchema = z.object({
  output: z.string(),
  tokens: figure,
  costUsd: figure,
  steps: figure,
  calls: figure,
  toolCalls: figure,
}) satisfies z.ZodType<TargetAnswer>;

/** Parses an answer from outside; throws InvalidOutput naming the first wrong field. */
export function parseTargetAnswer(value: unknown, who: string): TargetAnswer {
  if (typeof value === 'string') return { output: value };
  const parsed = targetAnswerSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw invalidOutput(`${who} must answer a text or {output, …}: ${field === '' ? '' : `${field}: `}${issue?.message ?? ''}`);
}
