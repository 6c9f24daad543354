import { defineCommand } from 'citty';
import type { EnqueueAnswer } from '../../../packages/runtime/signal-answers.ts';
import { enqueueEvent } from '../../../packages/runtime/signal-doors.ts';
import { EXIT } from '../../../packages/runtime/user-error.ts';
import { createOutput } from '../../cli/output.ts';
import { readEvents } from '../../cli/signal-input.ts';
import { sendEvents } from '../../cli/signal-send.ts';
import { signalArgs, withSignals } from '../../cli/signal-session.ts';

const describe = ({ accepted, sourceId, scopeKey, deduped, state, reopened, wake }: EnqueueAnswer): string => {
  if (!accepted) return `${sourceId}: agent signal is off for this user`;
  if (deduped === true) return `${sourceId} was known in ${scopeKey}: ${state}`;
  const late = wake === 'deferred' ? '; Temporal does not answer, the sweeper wakes the scope' : '';
  return `${sourceId} ${reopened === true ? 'is open again' : 'is accepted'} in ${scopeKey}${late}`;
};

/** `strata signal enqueue`: the event is durable when the command ends, and runs soon. */
export const signalEnqueueCommand = defineCommand({
  meta: { name: 'enqueue', description: 'make events durable and return at once' },
  args: { ...signalArgs, events: { type: 'positional', required: true, description: 'a file, @file or JSON; one event a line' } },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const events = await readEvents(args.events);
    return withSignals(args, ({ doors, sender }) =>
      sendEvents(events, output, {
        send: (event) => enqueueEvent(doors, event, sender),
        describe,
        exitOf: ({ accepted }) => (accepted ? EXIT.done : EXIT.refused),
      }),
    );
  },
});
