import type { Assertion, EvalMessage } from '../contracts/eval-case.ts';
import type { Grade } from '../contracts/trajectory.ts';
import { applyNegation, scoreAssertion } from './scorers.ts';

const LONGEST_REASON = 1_000;

/** What an LLM judge is asked. */
export type JudgeRequest = {
  readonly rubric: string;
  readonly input: readonly EvalMessage[];
  readonly output: string;
};

/** An LLM judge: scores an output by a rubric, 0 to 1; throws what the model client throws. */
export type Judge = (request: JudgeRequest) => Promise<{ readonly score: number; readonly reason: string }>;

export type GradeRequest = {
  readonly assertions: readonly Assertion[];
  readonly input: readonly EvalMessage[];
  readonly output: string;
  readonly judge?: Judge;
};

/** Does judging by these assertions take an LLM judge? */
export function needsJudge(assertions: readonly Assertion[]): boolean {
  return assertions.some(({ type }) => type === 'llm-rubric');
}

/** Judges an output by all assertions; the score is their mean, `null` without any. Throws only what the judge throws. */
export async function gradeOutput(request: GradeRequest): Promise<{ readonly score: number | null; readonly grading: readonly Grade[] }> {
  const grading: Grade[] = [];
  for (const assertion of request.assertions) {
    grading.push(assertion.type === 'llm-rubric' ? await askJudge(assertion, request) : scoreAssertion(assertion, request.output));
  }
  if (grading.length === 0) return { score: null, grading };
  return { score: grading.reduce((sum, grade) => sum + grade.score, 0) / grading.length, grading };
}

async function askJudge(assertion: Assertion, { input, output, judge }: GradeRequest): Promise<Grade> {
  if (judge === undefined) throw new Error('llm-rubric needs a judge: the run has none in its config');
  const answer = await judge({ rubric: assertion.values.join('\n'), input, output });
  const found = { score: answer.score, reason: answer.reason.slice(0, LONGEST_REASON) };
  return { type: assertion.negate === true ? 'not-llm-rubric' : 'llm-rubric', ...applyNegation(assertion, found) };
}
