/** What a target told or the clock measured about work done; a figure that nobody told is absent, not 0. */
export type Figures = {
  readonly latencyMs?: number;
  readonly costUsd?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly calls?: number;
  readonly toolCalls?: number;
};

/** The judgement of one assertion: 0 is wrong, 1 is right, between is graded; the reason is for people. */
export type Grade = { readonly type: string; readonly score: number; readonly reason: string };

/** Why a trajectory or a case has no judgement; `type` is a failure type of behaviour/pipelines.md section 2. */
export type EvalFailure = { readonly type: string; readonly message: string };

/** One stored answer of a target, `k` counted from 0. Ungraded until `score` is there; with `error` it is final. */
export type Trajectory = Figures & {
  readonly round: number;
  readonly k: number;
  readonly output?: string;
  readonly score?: number;
  readonly passed?: boolean;
  readonly grading?: readonly Grade[];
  readonly error?: EvalFailure;
};
