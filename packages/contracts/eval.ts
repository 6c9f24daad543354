/** Any value that JSON can carry. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

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

/** A model behind the OpenAI chat completions protocol; `apiKeyEnv` NAMES the environment variable, prices are USD per million tokens. */
export type OpenAiTarget = {
  readonly kind: 'openai';
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKeyEnv?: string;
  readonly system?: string;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly price?: { readonly inputPerMillion: number; readonly outputPerMillion: number };
};

/** An agent that takes POSTed JSON `{messages, idempotencyKey}` and answers JSON `{output, …figures}`. */
export type HttpTarget = {
  readonly kind: 'http';
  readonly url: string;
  readonly apiKeyEnv?: string;
};

/** A TypeScript module: the name of a bundled one, or the path of a file with an `answer` or default export. */
export type ModuleTarget = { readonly kind: 'module'; readonly module: string };

/** Whom a run asks. */
export type TargetConfig = OpenAiTarget | HttpTarget | ModuleTarget;

/** How a run executes and judges its cases; see EVAL_DEFAULTS for what is left out. */
export type EvalRunConfig = {
  readonly k?: number;
  readonly passThreshold?: number;
  readonly trajectoryTimeoutMs?: number;
  readonly maxConcurrency?: number;
  readonly judge?: OpenAiTarget;
};

/** Defaults of a run's config: behaviour/pipelines.md section 5.1. */
export const EVAL_DEFAULTS = { k: 1, passThreshold: 0.6, trajectoryTimeoutMs: 20 * 60_000 } as const;
