import { defineCommand } from 'citty';
import { changeSchedule, createSchedule, listSchedules } from '../../packages/runtime/pipeline-schedules.ts';
import type { NewSchedule } from '../../packages/runtime/pipeline-schedules.ts';
import { requireStartInput } from '../../packages/runtime/start-input.ts';
import { UserError } from '../../packages/runtime/user-error.ts';
import { parseDuration } from '../cli/durations.ts';
import { findPipeline } from '../cli/find-pipeline.ts';
import { createOutput } from '../cli/output.ts';
import { stackArgs, startArgs } from '../cli/pipeline-args.ts';
import { withPipelines } from '../cli/pipeline-session.ts';
import { readStartInput } from '../cli/run-input.ts';

const nameArgs = { name: { type: 'positional', required: true, description: 'name of the schedule' } } as const;

const createCommand = defineCommand({
  meta: { name: 'create', description: 'start a pipeline again and again; a tick is skipped while its last run is open' },
  args: {
    ...stackArgs,
    ...nameArgs,
    queue: startArgs.queue,
    pipeline: { type: 'string', required: true, description: 'name or workflow type', valueHint: 'name' },
    input: { type: 'string', description: 'the fields of each run', valueHint: 'JSON|@file' },
    every: { type: 'string', description: 'span between two runs, like 30s, 15m, 1h, 2d', valueHint: 'span' },
    cron: { type: 'string', description: 'when, as a cron expression in UTC', valueHint: 'expression' },
    paused: { type: 'boolean', description: 'make it paused' },
  },
  run: async ({ args, rawArgs }) => {
    const output = createOutput(args.json === true);
    const contract = findPipeline(args.pipeline);
    const input = await readStartInput({ rawArgs, input: args.input, dryRun: undefined });
    requireStartInput(contract, input);
    const schedule = { name: args.name, contract, input, when: requireWhen(args), paused: args.paused === true };
    await withPipelines(args, (session) => createSchedule(session, schedule));
    output.document(
      { name: args.name, pipeline: contract.type, input, ...schedule.when, paused: schedule.paused },
      () => `made schedule ${args.name}`,
    );
  },
});

const listCommand = defineCommand({
  meta: { name: 'list', description: 'list the schedules of pipelines' },
  args: stackArgs,
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const schedules = await withPipelines(args, ({ client }) => listSchedules(client));
    output.document({ schedules }, () =>
      schedules.length === 0
        ? 'no schedules'
        : schedules
            .map(
              ({ name, pipeline, paused, nextAt }) => `${name.padEnd(30)} ${pipeline.padEnd(20)} ${paused ? 'paused' : `next at ${nextAt ?? '–'}`}`,
            )
            .join('\n'),
    );
  },
});

function defineChange(verb: 'pause' | 'resume' | 'delete', description: string) {
  return defineCommand({
    meta: { name: verb, description },
    args: { ...stackArgs, ...nameArgs },
    run: async ({ args }) => {
      const output = createOutput(args.json === true);
      await withPipelines(args, ({ client }) => changeSchedule(client, args.name, verb === 'resume' ? 'unpause' : verb));
      output.document({ name: args.name, done: verb }, () => `${verb}: ${args.name}`);
    },
  });
}

/** `strata schedule`: Temporal Schedules that start pipelines. */
export const scheduleCommand = defineCommand({
  meta: { name: 'schedule', description: 'start pipelines by the clock' },
  subCommands: {
    create: createCommand,
    delete: defineChange('delete', 'delete a schedule; runs it started go on'),
    list: listCommand,
    pause: defineChange('pause', 'start nothing more until resume'),
    resume: defineChange('resume', 'go on after a pause'),
  },
});

function requireWhen({ every, cron }: { readonly every?: string | undefined; readonly cron?: string | undefined }): NewSchedule['when'] {
  if ((every === undefined) === (cron === undefined)) throw new UserError('say when: either --every like 1h, or --cron like "0 * * * *"');
  return every === undefined ? { cron: cron ?? '' } : { everyMs: parseDuration(every, '--every') };
}
