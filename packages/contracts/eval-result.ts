import type { EvalFailure, Figures, Grade, Trajectory } from './trajectory.ts';
import type { Assertion, EvalMessage, JsonValue } from './eval-case.ts';

/** States of a case in a run, derived from its ledger row. */
export type CaseState = 'pending' | 'running' | 'passed' | 'failed' | 'error' | 'timeout' | 'external' | 'completed';

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
