import { agentEvalRunContract } from '../packages/contracts/agent-eval-run.ts';
import { EVAL_DEFAULTS } from '../packages/contracts/eval-run.ts';
import { ITEM_FAILURES } from '../packages/contracts/failures.ts';
import type { Executor } from '../packages/database/database.ts';
import { countFailedCases } from '../packages/database/eval-case-counts.ts';
import { evalCaseSource, findEvalRun, loadCaseWork, moveEvalRun } from '../packages/database/eval-runs.ts';
import type { EvalRunRow } from '../packages/database/eval-runs.ts';
import { saveTrajectory } from '../packages/database/eval-trajectories.ts';
import type { Environment } from '../packages/models/api-key.ts';
import { createTarget } from '../packages/models/create-target.ts';
import { createJudge } from '../packages/models/judge.ts';
import { evaluateCase } from './eval-case.ts';
import { ClaimLost } from './runner/commit.ts';
import { createPipelineActivities } from './runner/create.ts';
import type { ItemContext, ItemOutcome, RunnerDeps } from './runner/definition.ts';
import { itemFailure, refuse } from './runner/failures.ts';

export interface AgentEvalRunDeps extends RunnerDeps {
  /** Where targets and judges look up the keys that their config names. */
  readonly environment: Environment;
}

type Fields = (typeof agentEvalRunContract)['fields'];

const GRADING_MS = 60_000;
const STARTABLE = ['idle', 'pending', 'running', 'completed', 'failed', 'aborted'] as const;

const requireStartable = (
  run: EvalRunRow | null,
  input: { userId: string; force: boolean; dryRun: boolean },
  hasUnfinishedRun: boolean,
): EvalRunRow => {
  if (run === null || run.userId !== input.userId) throw refuse('Run not found');
  if (run.status === 'external') throw refuse('Run is external: its results come from outside');
  // With an active run row its owner decides; only a status column left behind by something else is refused here.
  if (run.status === 'running' && !input.force && !input.dryRun && !hasUnfinishedRun) throw refuse('Run is already running');
  return run;
};

const planFor = ({ config }: EvalRunRow) => {
  const k = config.k ?? EVAL_DEFAULTS.k;
  const itemTimeoutMs = k * (config.trajectoryTimeoutMs ?? EVAL_DEFAULTS.trajectoryTimeoutMs) + GRADING_MS;
  return { itemTimeoutMs, ...(config.maxConcurrency === undefined ? {} : { maxConcurrency: config.maxConcurrency }) };
};

const executeCase = async ({ db, environment }: AgentEvalRunDeps, item: ItemContext<Fields>): Promise<ItemOutcome> => {
  const { itemId: caseId, itemRow, token, signal, isLastAttempt } = item;
  const { runId } = item.input;
  const work = await loadCaseWork(db, { runId, caseId, itemRow });
  if (work === null) throw itemFailure(ITEM_FAILURES.itemNotFound, 'Item not found');
  const { judge } = work.config;
  const outcome = await evaluateCase(
    { runId, case: work.case, config: work.config, round: work.round, stored: work.stored, isLastAttempt, signal },
    {
      target: createTarget(work.target, environment),
      ...(judge === undefined ? {} : { judge: createJudge(judge, environment) }),
      saveTrajectory: async (trajectory) => {
        // Whoever lost the claim must stop asking: its answers would be paid for and thrown away.
        if (!(await saveTrajectory(db, { itemRow, token, trajectory }))) throw new ClaimLost('the claim was taken over');
      },
    },
  );
  if (outcome.outcome === 'judged') return { kind: 'done', result: outcome.verdict };
  throw itemFailure(outcome.failure.type as typeof ITEM_FAILURES.attemptsExhausted, outcome.failure.message);
};

const statusFor = async (db: Executor, runId: string, outcome: string) => {
  if (outcome === 'aborted' || outcome === 'canceled') return 'aborted';
  if (outcome === 'failed') return 'failed';
  const { failed, total } = await countFailedCases(db, runId);
  return total > 0 && failed >= total ? 'failed' : 'completed';
};

/** Activities of an evaluation run: a case that fails its test is a done item, only errors and time-outs are failed items. */
export const createAgentEvalRunActivities = (deps: AgentEvalRunDeps, contract = agentEvalRunContract) =>
  createPipelineActivities<Fields>(
    contract,
    {
      preflight: async ({ input, hasUnfinishedRun }) => ({
        plan: planFor(requireStartable(await findEvalRun(deps.db, input.runId), input, hasUnfinishedRun)),
      }),
      eligible: ({ runId }) => evalCaseSource(runId),
      markRunning: async (tx, { runId }) => void (await moveEvalRun(tx, { id: runId, from: STARTABLE, to: 'running' })),
      executeItem: (item) => executeCase(deps, item),
      finalize: async ({ tx, input: { runId }, outcome }) =>
        void (await moveEvalRun(tx, { id: runId, from: ['running'], to: await statusFor(tx, runId, outcome) })),
    },
    deps,
  );
