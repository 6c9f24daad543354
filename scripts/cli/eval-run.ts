import { randomBytes } from 'node:crypto';
import type { EvalRunConfig, TargetConfig } from '../../packages/contracts/eval-run.ts';
import type { Database } from '../../packages/database/database.ts';
import { findJudgeNeed } from '../../packages/database/eval-benchmarks.ts';
import { createEvalRun, findEvalRun } from '../../packages/database/eval-runs.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';

/** What `eval run` wants; without an id the run is named after its benchmark. */
export type EvalRunRequest = {
  readonly benchmark: string;
  readonly id: string | undefined;
  readonly userId: string;
  readonly target: TargetConfig;
  readonly config: EvalRunConfig;
};

/** Creates the run's row, idle, with its selection fixed; resolves to its id and number of cases, UserErrors say what is missing. */
export async function createRun(db: Database, request: EvalRunRequest): Promise<{ readonly id: string; readonly cases: number }> {
  const { benchmark, userId, target, config } = request;
  const isJudged = await findJudgeNeed(db, benchmark);
  if (isJudged === null) throw missing(benchmark);
  if (isJudged && config.judge === undefined) {
    throw new UserError(
      `${benchmark} has llm-rubric assertions, which need a judge: --config '{"judge":{"kind":"openai","baseUrl":"…","model":"…"}}'`,
    );
  }
  const id = request.id ?? `${benchmark}-${randomBytes(4).toString('hex')}`;
  const answer = await createEvalRun(db, { id, userId, benchmark, target, config });
  if (answer === 'missing') throw missing(benchmark);
  if (answer === 'taken')
    throw new UserError(`there is an evaluation run ${id} already: start it again with \`strata run agent-eval-run\`, or give another --id`);
  return { id, cases: (await findEvalRun(db, id))?.bound ?? 0 };
}

function missing(benchmark: string): UserError {
  return new UserError(`there is no benchmark ${benchmark}: \`strata eval list\` shows them`, EXIT.unreachable);
}
