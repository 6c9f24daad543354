import type { Assertion, EvalMessage, JsonValue } from '../contracts/eval-case.ts';
import { assertionSchema, evalMessageSchema } from '../contracts/eval.schema.ts';
import type { Scorer } from './assertions.ts';
import { buildAssertion, checkAssertions, readExpected, refuse } from './shape.ts';
import type { FieldProblem, ShapeAnswer, ShapeReader } from './shape.ts';

const OWN_KEYS = new Set(['id', 'input', 'ideal', 'assertions', 'metadata']);

/**
 * Reader of the OpenAI-evals shape: `input` messages (or one text), `ideal` text or list; `id` and `metadata` if there.
 * In place of `ideal` a record may carry Strata's own `assertions`. Other keys are kept as metadata.
 */
export function createOpenAiReader(scorer: Scorer): ShapeReader {
  return ({ fields }): ShapeAnswer => {
    const input = readInput(fields['input']);
    if ('problem' in input) return { ok: false, problem: input.problem };
    const judged = readAssertions(fields, scorer);
    if ('problem' in judged) return { ok: false, problem: judged.problem };
    const id = fields['id'];
    if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return refuse('id', 'a text or number', id);
    const metadata = readMetadata(fields);
    if (metadata === null) return refuse('metadata', 'an object', fields['metadata']);
    const named = id === undefined ? {} : { id: String(id) };
    return { ok: true, case: { ...named, input: input.messages, assertions: judged.assertions, metadata } };
  };
}

type Input = { readonly messages: readonly EvalMessage[] } | { readonly problem: FieldProblem };

function readInput(value: unknown): Input {
  if (typeof value === 'string' && value.trim() !== '') return { messages: [{ role: 'user', content: value }] };
  if (!Array.isArray(value) || value.length === 0) {
    return refuse('input', 'a list of messages {role, content} or a text', value ?? null);
  }
  const messages: EvalMessage[] = [];
  for (const [index, item] of (value as unknown[]).entries()) {
    const parsed = evalMessageSchema.safeParse(item);
    if (!parsed.success) {
      return refuse(`input[${index}]`, 'a message {role: system | user | assistant, content: text}', item);
    }
    messages.push(parsed.data);
  }
  return { messages };
}

type Judged = { readonly assertions: readonly Assertion[] } | { readonly problem: FieldProblem };

function readAssertions(fields: Readonly<Record<string, unknown>>, scorer: Scorer): Judged {
  if (fields['assertions'] !== undefined) return readOwnAssertions(fields['assertions']);
  const values = readExpected(fields['ideal']);
  if (values === null) return refuse('ideal', 'a text or a list of texts', fields['ideal'] ?? null);
  const assertions = [buildAssertion(scorer, values)];
  const problem = checkAssertions('ideal', assertions);
  return problem === null ? { assertions } : { problem };
}

function readOwnAssertions(value: unknown): Judged {
  const parsed = assertionSchema.array().safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = ['assertions', ...(issue?.path ?? [])].join('.');
    return refuse(path, `assertions {type, values, threshold?, negate?} (${issue?.message ?? 'not a list'})`);
  }
  const problem = checkAssertions('assertions', parsed.data);
  return problem === null ? { assertions: parsed.data } : { problem };
}

function readMetadata(fields: Readonly<Record<string, unknown>>): Record<string, JsonValue> | null {
  const given = fields['metadata'] ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return null;
  const others = Object.entries(fields).filter(([key]) => !OWN_KEYS.has(key));
  return { ...Object.fromEntries(others), ...given } as Record<string, JsonValue>;
}
