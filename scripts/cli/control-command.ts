import { defineCommand } from 'citty';
import type { ControlOutcome, ControlVerb } from '../../packages/runtime/pipeline-control.ts';
import { EXIT } from '../../packages/runtime/user-error.ts';
import { createOutput } from './output.ts';
import { runArgs, stackArgs } from './pipeline-args.ts';
import { withPipelines } from './pipeline-session.ts';

/** Makes the command of one control: it prints `{workflowId, accepted, state}`, and exits 2 where the run did not take it. */
export function defineControlCommand(verb: ControlVerb, description: string) {
  return defineCommand({
    meta: { name: verb, description },
    args: { ...stackArgs, ...runArgs, reason: { type: 'string', description: 'why, for the record', valueHint: 'text' } },
    run: async ({ args }) => {
      const output = createOutput(args.json === true);
      const outcome = await withPipelines(args, ({ pipelines }) => pipelines.control(verb, args.run, args.reason));
      output.document(outcome, () => describe(outcome));
      if (!outcome.accepted) output.note(`strata: ${verb} was refused: the run is ${outcome.state}`);
      return outcome.accepted ? EXIT.done : EXIT.refused;
    },
  });
}

function describe({ workflowId, state, unanswered }: ControlOutcome): string {
  const said = `${workflowId} is ${state}`;
  return unanswered === true ? `${said}: no worker answered, but the abort stands; a worker's sweeper terminates the run after 60 s` : said;
}
