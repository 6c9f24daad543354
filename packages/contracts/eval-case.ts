/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** One turn of a conversation; the last one of an evaluation input is what the target answers. */
export type EvalMessage = {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
};

/** The kinds of checks that a case can ask for; the first ten are promptfoo's words, the last three have no such prefix. */
export const ASSERTION_TYPES = [
  'equals',
  'contains',
  'icontains',
  'contains-any',
  'contains-all',
  'starts-with',
  'regex',
  'is-json',
  'levenshtein',
  'llm-rubric',
  'numeric',
  'json-equals',
  'similarity',
] as const;

export type AssertionType = (typeof ASSERTION_TYPES)[number];

/**
 * One check of an output. The best of `values` counts, only `contains-all` needs each; `is-json` takes none.
 * `threshold` is the greatest distance of levenshtein (default 5), the tolerance of numeric (default 0: equal to 9 digits),
 * and the least score of similarity and llm-rubric, which without it pass their graded score on.
 */
export type Assertion = {
  readonly type: AssertionType;
  readonly values: readonly string[];
  readonly threshold?: number;
  readonly negate?: boolean;
};

/** One test case: what is asked, how the answer is judged, and what is known about it (`metadata.category` groups reports). */
export type EvalCase = {
  readonly id: string;
  readonly input: readonly EvalMessage[];
  readonly assertions: readonly Assertion[];
  readonly metadata: Readonly<Record<string, JsonValue>>;
};

/** A case as a file gives it; without an id the store names it by its place, `case-<seq>`. */
export type ImportedCase = Omit<EvalCase, 'id'> & { readonly id?: string };
