import type { Assertion, EvalMessage, JsonValue } from './eval.ts';

/** States of a case in a run, derived from its ledger row. */
export type CaseState =
  | 'pending'
  | 'running'
  | 'passed'
  | 'failed'
  | 'error'
  | 'timeout'
  | 'external'
  | 'completed';

/** States of an evaluation run. */
export const EVAL_RUN_STATUSES = [
  'idle',
  'pending',
  'running',
  'completed',
  'failed',
  'aborted',
  'external',
] as const;

export type EvalRunStatus = (typeof EVAL_RUN_STATUSES)[number];

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

/**
 * The outcome of a judged case, kept as the `result` of its ledger row. Plain figures are means over k, `totals` are sums.
 * `passAtK` (any trajectory passed) and `passAllK` (each did) are there for k > 1 only.
 */
export type CaseVerdict = Figures & {
  readonly status: 'passed' | 'failed' | 'completed' | 'external' | 'error' | 'timeout';
  readonly score: number;
  readonly k: number;
  readonly totals: Figures;
  readonly passAtK?: boolean;
  readonly passAllK?: boolean;
  readonly output?: string;
  readonly grading?: readonly Grade[];
  readonly error?: EvalFailure;
};

/** One case of a run as accounting and reports see it. */
export type CaseResult = {
  readonly seq: number;
  readonly caseId: string;
  readonly state: CaseState;
  readonly question: string;
  readonly expected: string;
  readonly metadata: Readonly<Record<string, JsonValue>>;
  readonly verdict?: CaseVerdict;
  readonly error?: EvalFailure;
};

/** A case of a run as the tables have it: the case, its ledger row (state null: none yet), and, if it failed, its last round's trajectories. */
export type CaseRow = {
  readonly seq: number;
  readonly caseId: string;
  readonly input: readonly EvalMessage[];
  readonly assertions: readonly Assertion[];
  readonly metadata: Readonly<Record<string, JsonValue>>;
  readonly state: 'open' | 'claimed' | 'done' | 'failed' | 'skipped' | null;
  readonly errorType: string | null;
  readonly error: string | null;
  readonly result: CaseVerdict | null;
  /** From claim to end, ms. */
  readonly elapsedMs: number | null;
  readonly trajectories: readonly Trajectory[];
};
