import type { EvalMessage } from '../contracts/eval-case.ts';

/** One question to a target. The key is equal for every attempt at the same trajectory, so that a target can refuse to pay twice. */
export type TargetRequest = {
  readonly messages: readonly EvalMessage[];
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
};

/** What a target answered, with the figures that it told. */
export type TargetAnswer = {
  readonly output: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly steps?: number;
  readonly calls?: number;
  readonly toolCalls?: number;
};

/** Whatever a benchmark can ask. `answer` throws a ModelError, or the signal's reason when it was aborted. */
export type Target = {
  readonly answer: (request: TargetRequest) => Promise<TargetAnswer>;
};
