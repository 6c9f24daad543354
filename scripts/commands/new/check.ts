import { defineCommand } from 'citty';
import { EXIT } from '../../../packages/runtime/user-error.ts';
import { commonArgs } from '../../cli/common-args.ts';
import { createOutput } from '../../cli/output.ts';
import { findLeftovers } from '../../new-pipeline/leftovers.ts';
import { describeLeftovers, directoryArgs, resolveDirectory } from '../../cli/new-pipeline.ts';

/** `strata new check`: names what a pipeline still has of the example, exit 1 while there is anything. */
export const newCheckCommand = defineCommand({
  meta: { name: 'check', description: 'name what a new pipeline still has of the example' },
  args: {
    ...commonArgs,
    ...directoryArgs,
    entity: { type: 'positional', required: true, description: 'kebab name of the pipeline' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const left = findLeftovers(resolveDirectory(args.directory), args.entity);
    output.document({ entity: args.entity, ok: left.length === 0, left }, () => describeLeftovers(args.entity, left));
    return left.length === 0 ? EXIT.done : EXIT.endedBadly;
  },
});
