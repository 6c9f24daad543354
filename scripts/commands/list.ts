import { defineCommand } from 'citty';
import type { RunState } from '../../packages/contracts/run.ts';
import { RUN_STATES } from '../../packages/runtime/pipeline-list.ts';
import { UserError } from '../../packages/runtime/user-error.ts';
import { findPipeline } from '../cli/find-pipeline.ts';
import { suggestName } from '../cli/nearest.ts';
import { parseWholeNumber } from '../cli/numbers.ts';
import { createOutput } from '../cli/output.ts';
import { stackArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';
import { lineOf } from '../cli/run-text.ts';

/** `strata list`: runs, newest first. */
export const listCommand = defineCommand({
  meta: { name: 'list', description: 'list runs, newest first' },
  args: {
    ...stackArgs,
    pipeline: { type: 'string', description: 'only runs of this pipeline', valueHint: 'name' },
    status: { type: 'string', description: `only runs in this state: ${RUN_STATES.join(', ')}`, valueHint: 'state' },
    limit: { type: 'string', default: '50', description: 'most runs shown', valueHint: 'n' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const filter = {
      pipeline: args.pipeline === undefined ? undefined : findPipeline(args.pipeline).type,
      state: args.status === undefined ? undefined : requireState(args.status),
      limit: parseWholeNumber(args.limit, { name: '--limit', from: 1, to: 1_000 }),
    };
    const runs = await withPipelines(args, ({ pipelines }) => pipelines.list(filter));
    output.document({ runs }, () => (runs.length === 0 ? 'no runs' : runs.map((run) => `${run.workflowId.padEnd(40)} ${lineOf(run)}`).join('\n')));
  },
});

function requireState(given: string): RunState {
  const state = RUN_STATES.find((known) => known === given);
  if (state === undefined) throw new UserError(`unknown state "${given}": ${suggestName(given, RUN_STATES)}`);
  return state;
}
