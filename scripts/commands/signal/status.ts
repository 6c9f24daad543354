import { defineCommand } from 'citty';
import { listRejections } from '../../../packages/database/signal-rejections.ts';
import { readScopeStatus } from '../../../packages/database/signal-status.ts';
import { EXIT, UserError } from '../../../packages/runtime/user-error.ts';
import { createOutput } from '../../cli/output.ts';
import { signalArgs, withSignals } from '../../cli/signal-session.ts';
import { describeStatus } from '../../cli/signal-text.ts';

const REJECTIONS_SHOWN = 5;

/** `strata signal status`: what a scope has, counted from its rows. */
export const signalStatusCommand = defineCommand({
  meta: { name: 'status', description: 'what waits in a scope, what ended, what failed last' },
  args: { ...signalArgs, scope: { type: 'positional', required: true, description: 'scope key, like topic:t1' } },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const { status, rejections } = await withSignals(args, async ({ doors, ownerId }) => {
      const scope = { ownerId, scopeKey: args.scope };
      return { status: await readScopeStatus(doors.db, scope), rejections: await listRejections(doors.db, scope, REJECTIONS_SHOWN) };
    });
    if (status === null) throw new UserError(`${args.owner} has no scope ${args.scope}: nothing was ever sent to it`, EXIT.unreachable);
    output.document({ ...status, rejections }, () => describeStatus(status, rejections));
  },
});
