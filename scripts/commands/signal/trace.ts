import { defineCommand } from 'citty';
import { findEvents, readTrace } from '../../../packages/database/signal-traces.ts';
import type { TracedEvent } from '../../../packages/database/signal-traces.ts';
import { EXIT, UserError } from '../../../packages/runtime/user-error.ts';
import { createOutput } from '../../cli/output.ts';
import { signalArgs, withSignals } from '../../cli/signal-session.ts';
import type { SignalSession } from '../../cli/signal-session.ts';
import { drawTrace } from '../../cli/signal-text.ts';

interface TraceArgs {
  readonly source: string;
  readonly type?: string | undefined;
  readonly scope?: string | undefined;
}

async function requireOne({ doors, ownerId }: SignalSession, { source, type, scope }: TraceArgs): Promise<TracedEvent> {
  const [event, ...others] = await findEvents(doors.db, { ownerId, sourceId: source, sourceType: type, scopeKey: scope });
  if (event === undefined) throw new UserError(`no event ${source} of this owner`, EXIT.unreachable);
  if (others.length === 0) return event;
  const named = [event, ...others].map(({ sourceType, scopeKey }) => `${sourceType} in ${scopeKey}`);
  throw new UserError(`${source} is ${named.length} events (${named.join(', ')}): name one by --type or --scope`);
}

/** `strata signal trace`: the whole chain of an event. */
export const signalTraceCommand = defineCommand({
  meta: { name: 'trace', description: 'the chain of an event: its signals, actions and what each handler answered' },
  args: {
    ...signalArgs,
    source: { type: 'positional', required: true, description: 'source id of the event' },
    type: { type: 'string', description: 'its source type', valueHint: 'type' },
    scope: { type: 'string', description: 'its scope key', valueHint: 'scope' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    await withSignals(args, async (session) => {
      const event = await requireOne(session, args);
      const trace = await readTrace(session.doors.db, event.eventId);
      output.document({ ...event, ...trace }, () => drawTrace(event, trace));
    });
  },
});
