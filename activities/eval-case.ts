import { EVAL_DEFAULTS } from '../packages/contracts/eval-run.ts';
import type { EvalRunConfig } from '../packages/contracts/eval-run.ts';
import type { EvalCase } from '../packages/contracts/eval-case.ts';
import type { CaseVerdict } from '../packages/contracts/eval-result.ts';
import type { EvalFailure, Trajectory } from '../packages/contracts/trajectory.ts';
import { ITEM_FAILURES } from '../packages/contracts/failures.ts';
import { computeCaseVerdict } from '../packages/evals/accounting.ts';
import { gradeOutput, needsJudge } from '../packages/evals/grade.ts';
import type { JudgeCall } from '../packages/models/judge.ts';
import { ModelError } from '../packages/models/model-error.ts';
import type { Target } from '../packages/models/target.ts';
import { askTarget, failTrajectory, isRetryable, messageOf, typeOf } from './eval-trajectory.ts';

/** One case to evaluate. `round` counts redrives from 0; `stored` are the trajectories of this round, graded or not. */
export type EvaluateCaseRequest = {
  readonly runId: string;
  readonly case: EvalCase;
  readonly config: EvalRunConfig;
  readonly round: number;
  /** On the last attempt a failure becomes part of the case instead of being thrown for another attempt. */
  readonly isLastAttempt: boolean;
  readonly stored: readonly Trajectory[];
  readonly signal: AbortSignal;
};

export type EvaluateCaseDeps = {
  readonly target: Target;
  readonly judge?: (call: JudgeCall) => Promise<{ readonly score: number; readonly reason: string }>;
  /** Writes a trajectory over its former version (same round and k); throws where the claim is lost, so that nothing more is asked or paid. */
  readonly saveTrajectory: (trajectory: Trajectory) => Promise<void>;
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
};

/** A case that was judged is a done item, passed or not; one that could not be is a failed item with `failure`. */
export type CaseOutcome =
  | { readonly outcome: 'judged'; readonly verdict: CaseVerdict }
  | { readonly outcome: 'unjudged'; readonly verdict: CaseVerdict; readonly failure: EvalFailure };

/**
 * Runs the k trajectories of a case one after another, each with its own idempotency key, and judges them. Stored answers
 * are not asked for again, stored grades not given again. Throws the signal's reason after an abort, and a retryable
 * ModelError (a rate limit always, others unless this is the last attempt) after which the same request may be repeated.
 */
export async function evaluateCase(request: EvaluateCaseRequest, deps: EvaluateCaseDeps): Promise<CaseOutcome> {
  const k = request.config.k ?? EVAL_DEFAULTS.k;
  const trajectories: Trajectory[] = [];
  for (let index = 0; index < k; index++) {
    const stored = request.stored.find((one) => one.round === request.round && one.k === index);
    trajectories.push(stored !== undefined && isFinal(stored) ? stored : await finishTrajectory(request, deps, stored ?? index));
  }
  return concludeCase(trajectories, k);
}

/** The key of a trajectory at its target: business identity only, in characters that a header can carry. */
export function buildIdempotencyKey(runId: string, caseId: string, place: Pick<Trajectory, 'round' | 'k'>): string {
  const parts = ['agent-eval-run', encodeURIComponent(runId), encodeURIComponent(caseId), `r${place.round}`, `k${place.k}`];
  return parts.join('/');
}

function isFinal(trajectory: Trajectory): boolean {
  return trajectory.error !== undefined || trajectory.grading !== undefined;
}

/** `from` is the stored, ungraded answer, or the index of a trajectory that has none. */
async function finishTrajectory(request: EvaluateCaseRequest, deps: EvaluateCaseDeps, from: Trajectory | number): Promise<Trajectory> {
  const answered = typeof from === 'number' ? await ask(request, deps, from) : from;
  // Stored before it is judged: a judge that fails must not make the target answer, and cost, twice.
  if (typeof from === 'number') await deps.saveTrajectory(answered);
  if (isFinal(answered)) return answered;
  const graded = await grade(request, deps, answered);
  await deps.saveTrajectory(graded);
  return graded;
}

async function ask(request: EvaluateCaseRequest, deps: EvaluateCaseDeps, k: number): Promise<Trajectory> {
  const { runId, config, signal, round } = request;
  const place = { round, k };
  if (needsJudge(request.case.assertions) && deps.judge === undefined) return failTrajectory(place, NO_JUDGE);
  const question = {
    messages: request.case.input,
    idempotencyKey: buildIdempotencyKey(runId, request.case.id, place),
    signal,
  };
  const timeoutMs = config.trajectoryTimeoutMs ?? EVAL_DEFAULTS.trajectoryTimeoutMs;
  try {
    return await askTarget({ place, target: deps.target, question, timeoutMs, clock: deps.clock ?? (() => performance.now()) });
  } catch (error) {
    if (mustThrow(error, request)) throw error;
    return failTrajectory(place, error);
  }
}

async function grade(request: EvaluateCaseRequest, deps: EvaluateCaseDeps, answered: Trajectory): Promise<Trajectory> {
  const { assertions, input } = request.case;
  const { judge } = deps;
  const bound = judge === undefined ? {} : { judge: (call: Omit<JudgeCall, 'signal'>) => judge({ ...call, signal: request.signal }) };
  try {
    const { score, grading } = await gradeOutput({ assertions, input, output: answered.output ?? '', ...bound });
    if (score === null) return { ...answered, grading };
    return { ...answered, grading, score, passed: score >= (request.config.passThreshold ?? EVAL_DEFAULTS.passThreshold) };
  } catch (error) {
    if (mustThrow(error, request)) throw error;
    return { ...answered, error: { type: typeOf(error), message: messageOf(error).slice(0, 1_000) } };
  }
}

function mustThrow(error: unknown, { signal, isLastAttempt }: EvaluateCaseRequest): boolean {
  if (signal.aborted || typeOf(error) === ITEM_FAILURES.rateLimited) return true;
  return isRetryable(error) && !isLastAttempt;
}

function concludeCase(trajectories: readonly Trajectory[], k: number): CaseOutcome {
  const verdict = computeCaseVerdict(trajectories, k);
  if (verdict.status !== 'error' && verdict.status !== 'timeout') return { outcome: 'judged', verdict };
  const failure = verdict.error ?? { type: ITEM_FAILURES.attemptsExhausted, message: 'Execution error: no trajectory' };
  return { outcome: 'unjudged', verdict, failure };
}

const NO_JUDGE = new ModelError('llm-rubric needs a judge: give the run one in its config', {
  type: ITEM_FAILURES.providerRefused,
  retryable: false,
});
