import { defineCommand } from 'citty';
import { launchRun } from '../cli/launch-run.ts';
import { createOutput } from '../cli/output.ts';
import { runArgs, stackArgs, startArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';

/** `strata redrive`: executes exactly the items again that are failed now. */
export const redriveCommand = defineCommand({
  meta: { name: 'redrive', description: 'execute the failed items of an ended run again' },
  args: { ...stackArgs, ...startArgs, ...runArgs },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    return withPipelines(args, async (session) => {
      const { contract, input } = await session.pipelines.redrive(args.run);
      const given = args['dry-run'] === true ? { ...input, dryRun: true } : input;
      return launchRun(session, output, { contract, input: given, wait: args.wait, follow: args.follow, workerWithin: args['worker-within'] });
    });
  },
});
