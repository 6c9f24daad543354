import type { z } from 'zod';
import type { ModelTask, SignalModel } from '../../../packages/contracts/signal-model.ts';
import { toStorable } from '../../../packages/contracts/json-value.ts';
import { ITEM_FAILURES } from '../../../packages/contracts/failures.ts';
import { isModelError } from '../../../packages/models/model-error.ts';
import { redact } from '../../agent-signal/step-errors.ts';

const ERROR_CHARACTERS = 480;

/** What came of a structured call: an answer of the agreed shape, or why it is not. */
export type Asked<T> = { readonly ok: true; readonly answer: T } | { readonly ok: false; readonly error: string };

/** What is kept of an error: without keys, at most 480 characters. */
export const briefError = (error: unknown): string => redact(error instanceof Error ? error.message : String(error)).slice(0, ERROR_CHARACTERS);

/** One structured call. Output that is not of the agreed shape is an answer of its own, and final; whatever else fails is thrown for the retry layer above. */
export const askModel = async <S extends z.ZodType>(
  model: SignalModel,
  schema: S,
  call: { readonly task: ModelTask; readonly input: Readonly<Record<string, unknown>>; readonly signal: { readonly aborted: boolean } },
): Promise<Asked<z.output<S>>> => {
  let raw: unknown;
  try {
    raw = await model.generate(call);
  } catch (error) {
    if (isModelError(error) && error.type === ITEM_FAILURES.invalidOutput) return { ok: false, error: briefError(error) };
    throw error;
  }
  const parsed = schema.safeParse(toStorable(raw));
  return parsed.success ? { ok: true, answer: parsed.data } : { ok: false, error: briefError(parsed.error) };
};
