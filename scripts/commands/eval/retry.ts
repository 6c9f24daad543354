import { defineCommand } from 'citty';
import { agentEvalRunContract } from '../../../packages/contracts/agent-eval-run.ts';
import { runWorkflowId } from '../../../packages/contracts/ids.ts';
import type { Database } from '../../../packages/database/database.ts';
import { reopenCase } from '../../../packages/database/eval-retry.ts';
import { findEvalRun } from '../../../packages/database/eval-runs.ts';
import { EXIT, UserError } from '../../../packages/runtime/user-error.ts';
import { launchRun } from '../../cli/launch-run.ts';
import { createOutput } from '../../cli/output.ts';
import { stackArgs, startArgs } from '../../cli/pipeline-args.ts';
import { withPipelines } from '../../cli/pipeline-session.ts';

const { 'dry-run': _, ...launchArgs } = startArgs;

/** `strata eval retry`: one case of an ended run again, or without a case all that erred or timed out. */
export const evalRetryCommand = defineCommand({
  meta: { name: 'retry', description: 'execute one case of an ended run again, or all its errors and time-outs' },
  args: {
    ...stackArgs,
    ...launchArgs,
    run: { type: 'positional', required: true, description: 'id of the evaluation run' },
    case: { type: 'positional', required: false, description: 'id of the case (default: every error and time-out)' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    return withPipelines(args, async (session) => {
      const input = await retryInput(session.db, args.run, args.case);
      return launchRun(session, output, {
        contract: agentEvalRunContract,
        input,
        wait: args.wait,
        follow: args.follow,
        workerWithin: args['worker-within'],
      });
    });
  },
});

async function retryInput(db: Database, runId: string, caseId: string | undefined): Promise<Record<string, unknown>> {
  const run = await findEvalRun(db, runId);
  if (run === null) throw new UserError(`there is no evaluation run ${runId}: \`strata eval list\` shows them`, EXIT.unreachable);
  const own = { runId, userId: run.userId };
  if (caseId === undefined) return { ...own, redriveOf: runWorkflowId({ entity: agentEvalRunContract.entity, scope: runId }) };
  const answer = await reopenCase(db, { runId, caseId });
  if (answer === 'missing') throw new UserError(`Test case not found: ${runId} has no case ${caseId}`, EXIT.unreachable);
  if (answer === 'active') throw new UserError(`AlreadyRunning: ${runId} is active; wait for it, or abort it, before a case is retried`);
  if (answer !== 'reopened') throw new UserError(`Cannot retry: case is ${answer}`);
  return { ...own, itemIds: [caseId] };
}
