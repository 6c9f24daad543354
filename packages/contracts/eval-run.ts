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

/** States of an evaluation run. */
export const EVAL_RUN_STATUSES = ['idle', 'pending', 'running', 'completed', 'failed', 'aborted', 'external'] as const;

export type EvalRunStatus = (typeof EVAL_RUN_STATUSES)[number];
