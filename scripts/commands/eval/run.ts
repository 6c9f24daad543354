import { defineCommand } from 'citty';
import { agentEvalRunContract } from '../../../packages/contracts/agent-eval-run.ts';
import { EXIT } from '../../../packages/runtime/user-error.ts';
import { createRun } from '../../cli/eval-run.ts';
import { parseRunConfig, parseTarget } from '../../cli/eval-target.ts';
import { launchRun } from '../../cli/launch-run.ts';
import { withDatabase } from '../../cli/open-database.ts';
import { createOutput } from '../../cli/output.ts';
import type { Output } from '../../cli/output.ts';
import { stackArgs, startArgs } from '../../cli/pipeline-args.ts';
import { withPipelines } from '../../cli/pipeline-session.ts';

// A dry run needs a run to count for, and creating one is a write: `--create`, then `strata run agent-eval-run --dry-run`.
const { 'dry-run': _, ...launchArgs } = startArgs;

/** `strata eval run`: creates a run of a benchmark and starts its pipeline. */
export const evalRunCommand = defineCommand({
  meta: { name: 'run', description: 'run a benchmark against a target' },
  args: {
    ...stackArgs,
    ...launchArgs,
    benchmark: { type: 'positional', required: true, description: 'name of the benchmark' },
    target: { type: 'string', default: 'bundled', description: 'bundled, a .ts file, an http address, JSON or @file', valueHint: 'target' },
    config: { type: 'string', description: 'k, passThreshold, trajectoryTimeoutMs, maxConcurrency, judge', valueHint: 'JSON|@file' },
    id: { type: 'string', description: 'id of the run (default: made from the name of the benchmark)', valueHint: 'id' },
    user: { type: 'string', default: 'local', description: 'whose run it is', valueHint: 'id' },
    create: { type: 'boolean', description: 'create the run only; start it later with `strata run agent-eval-run`' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const { benchmark, id, user: userId, wait, follow } = args;
    const request = { benchmark, id, userId, target: parseTarget(args.target), config: parseRunConfig(args.config) };
    if (args.create === true) {
      const created = await withDatabase(args.data, (db) => createRun(db, request));
      output.document({ evalRun: created.id, cases: created.cases }, () => `created run ${created.id} of ${created.cases} cases`);
      return EXIT.done;
    }
    // Both connections stand before the run is created: none is left behind where there is nobody to start it.
    return withPipelines(args, async (session) => {
      const created = await createRun(session.db, request);
      const input = { runId: created.id, userId };
      return launchRun(session, withRun(output, created), {
        contract: agentEvalRunContract,
        input,
        wait,
        follow,
        workerWithin: args['worker-within'],
      });
    });
  },
});

/** The launch's answer with the run's id and what to do with it. */
function withRun(output: Output, { id, cases }: { readonly id: string; readonly cases: number }): Output {
  const document: Output['document'] = (value, toText) =>
    output.document({ evalRun: id, cases, ...(value as object) }, () => `${toText()}\nreport: strata eval report ${id}`);
  return { ...output, document };
}
