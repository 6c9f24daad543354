import { commonArgs, dataArgs } from './common-args.ts';

/** Arguments of every command that talks to a stack. */
export const stackArgs = { ...commonArgs, ...dataArgs } as const;

/** The run that a command is about. */
export const runArgs = {
  run: { type: 'positional', required: true, description: 'workflow id of the run' },
} as const;

/** Where a run is started and whether to stay with it. */
export const startArgs = {
  queue: { type: 'string', description: 'task queue (default: STRATA_TASK_QUEUES, else strata)', valueHint: 'queue' },
  'dry-run': { type: 'boolean', description: 'count only, without any effect' },
  wait: { type: 'boolean', description: 'wait for the end; the exit code tells how it ended' },
  follow: { type: 'boolean', description: 'wait and show the progress' },
  'worker-within': { type: 'string', default: '60', description: 'seconds to wait for a worker', valueHint: 'seconds' },
} as const;
