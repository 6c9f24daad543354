import { defineCommand } from 'citty';
import { countRedrivable, redriveEvents } from '../../../packages/database/signal-redrive.ts';
import { wakeScope } from '../../../packages/runtime/signal-client.ts';
import { createOutput } from '../../cli/output.ts';
import { signalArgs, withSignals } from '../../cli/signal-session.ts';

/** `strata signal redrive`: failed events run again; handlers that have answered are not asked again. */
export const signalRedriveCommand = defineCommand({
  meta: { name: 'redrive', description: 'run failed events again, all of a scope or one' },
  args: {
    ...signalArgs,
    scope: { type: 'positional', required: true, description: 'scope key, like topic:t1' },
    source: { type: 'positional', required: false, description: 'source id of one event' },
    'dry-run': { type: 'boolean', description: 'count only, without any effect' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const dryRun = args['dry-run'] === true;
    const redriven = await withSignals(args, async ({ doors, ownerId }) => {
      const scope = { ownerId, scopeKey: args.scope };
      const query = { ...scope, sourceId: args.source };
      if (dryRun) return countRedrivable(doors.db, query);
      const count = await redriveEvents(doors.db, query);
      if (count > 0) await wakeScope(doors.client, scope, doors.taskQueue);
      return count;
    });
    output.document(
      { scopeKey: args.scope, redriven, dryRun },
      () => `${redriven} failed events ${dryRun ? 'would run' : 'run'} again in ${args.scope}`,
    );
  },
});
