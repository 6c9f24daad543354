import { defineCommand } from 'citty';
import { createOutput } from '../cli/output.ts';
import { runArgs, stackArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';
import { describeStatus } from '../cli/run-text.ts';

/** `strata status`: how a run is doing, or how it ended. */
export const statusCommand = defineCommand({
  meta: { name: 'status', description: 'show how a run is doing or how it ended' },
  args: { ...stackArgs, ...runArgs },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const status = await withPipelines(args, ({ pipelines }) => pipelines.status(args.run));
    output.document(status, () => describeStatus(status));
  },
});
