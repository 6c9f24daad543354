import { defineCommand } from 'citty';
import { requireStartInput } from '../../packages/runtime/start-input.ts';
import { findPipeline } from '../cli/find-pipeline.ts';
import { createOutput } from '../cli/output.ts';
import { stackArgs, startArgs } from '../cli/pipeline-args.ts';
import { readStartInput } from '../cli/run-input.ts';

/** `strata run`: starts a run or joins the active one of the same request. */
export const runCommand = defineCommand({
  meta: { name: 'run', description: 'start a run of a pipeline' },
  args: {
    ...stackArgs,
    ...startArgs,
    pipeline: { type: 'positional', required: true, description: 'name or workflow type: see strata pipelines' },
    input: { type: 'string', description: 'the fields, and controls like maxItems or failureThreshold', valueHint: 'JSON|@file' },
    force: { type: 'boolean', description: 'take what is already processed, too' },
  },
  run: async ({ args, rawArgs }) => {
    const output = createOutput(args.json === true);
    const contract = findPipeline(args.pipeline);
    const input = await readStartInput({ rawArgs, input: args.input, dryRun: args['dry-run'], force: args.force });
    requireStartInput(contract, input);
    // Bad input is refused before the SDK is loaded, which takes most of a second.
    const [{ launchRun }, { withPipelines }] = await Promise.all([import('../cli/launch-run.ts'), import('../cli/pipeline-session.ts')]);
    return withPipelines(args, (session) =>
      launchRun(session, output, { contract, input, wait: args.wait, follow: args.follow, workerWithin: args['worker-within'] }),
    );
  },
});
