import { EventRefused } from '../../packages/runtime/signal-answers.ts';
import { EXIT } from '../../packages/runtime/user-error.ts';
import type { ExitCode } from '../../packages/runtime/user-error.ts';
import type { Output } from './output.ts';

/** How events are sent one by one: what is printed of an answer, and how it counts for the exit code. */
export interface SendEach<Answer> {
  readonly send: (event: unknown) => Promise<Answer>;
  readonly describe: (answer: Answer) => string;
  readonly exitOf: (answer: Answer) => ExitCode;
}

/** Sends events in their order, each judged alone; the exit code is that of the worst. One event is answered by one document, many by one a line. */
export async function sendEvents<Answer>(
  events: readonly unknown[],
  output: Output,
  { send, describe, exitOf }: SendEach<Answer>,
): Promise<ExitCode> {
  const [only] = events;
  if (events.length === 1) {
    const answer = await send(only);
    output.document(answer ?? { accepted: false }, () => describe(answer));
    return exitOf(answer);
  }
  let exit: ExitCode = EXIT.done;
  for (const [index, event] of events.entries()) {
    try {
      const answer = await send(event);
      output.event(answer ?? { accepted: false }, () => describe(answer));
      exit = worse(exit, exitOf(answer));
    } catch (error) {
      if (!(error instanceof EventRefused)) throw error;
      output.event({ error: error.message, type: error.type, line: index + 1 }, () => `line ${index + 1}: ${error.message}`);
      exit = EXIT.refused;
    }
  }
  return exit;
}

const worse = (left: ExitCode, right: ExitCode): ExitCode => (right > left ? right : left);
