import { defineCommand } from 'citty';
import type { EmitAnswer } from '../../../packages/runtime/signal-answers.ts';
import { emitEvent } from '../../../packages/runtime/signal-emit.ts';
import { EXIT } from '../../../packages/runtime/user-error.ts';
import type { ExitCode } from '../../../packages/runtime/user-error.ts';
import { createOutput } from '../../cli/output.ts';
import { readEvents } from '../../cli/signal-input.ts';
import { sendEvents } from '../../cli/signal-send.ts';
import { signalArgs, withSignals } from '../../cli/signal-session.ts';

const describe = (answer: EmitAnswer | undefined): string => {
  if (answer === undefined) return 'agent signal is off for this user';
  if (answer.deduped) return `${answer.sourceId} was known in ${answer.scopeKey}: ${answer.state}`;
  const { source, trigger, run } = answer;
  const steps = run.trace.results.map(({ handlerId, answer: { status } }) => `  ${handlerId}: ${status}`);
  return [`${source.sourceId} in ${trigger.scopeKey}: ${run.status}${run.reason === undefined ? '' : `: ${run.reason}`}`, ...steps].join('\n');
};

const exitOf = (answer: EmitAnswer | undefined): ExitCode => {
  if (answer === undefined) return EXIT.refused;
  const isFailed = answer.deduped ? answer.state === 'failed' : answer.run.status === 'failed';
  return isFailed ? EXIT.endedBadly : EXIT.done;
};

/** `strata signal emit`: the event runs now, and the command says what came of it. */
export const signalEmitCommand = defineCommand({
  meta: { name: 'emit', description: 'run events now and wait for their outcome (at most 30 s each)' },
  args: { ...signalArgs, events: { type: 'positional', required: true, description: 'a file, @file or JSON; one event a line' } },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const events = await readEvents(args.events);
    return withSignals(args, ({ doors, sender }) =>
      sendEvents(events, output, { send: (event) => emitEvent(doors, event, sender), describe, exitOf }),
    );
  },
});
