import { defineCommand } from 'citty';
import { runWorker } from '../../workers/worker.ts';
import { commonArgs, dataArgs } from '../cli/common-args.ts';
import { createOutput } from '../cli/output.ts';
import { processEnv } from '../cli/process-env.ts';

/** `strata worker`: one worker process until Ctrl-C or SIGTERM. */
export const workerCommand = defineCommand({
  meta: { name: 'worker', description: 'run one worker process (settings: DATABASE_URL, TEMPORAL_*, STRATA_*)' },
  args: {
    ...commonArgs,
    ...dataArgs,
    queues: { type: 'string', description: 'task queues, separated by commas (default: strata)', valueHint: 'a,b' },
    'set-current': { type: 'boolean', description: 'make this version current even where another one is' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const env = {
      ...(await processEnv(args.data)),
      ...(args.queues && { STRATA_TASK_QUEUES: args.queues }),
      ...(args['set-current'] && { STRATA_SET_CURRENT: 'true' }),
    };
    await runWorker(env, (ready) =>
      output.document({ ready: true, ...ready, pid: process.pid }, () => `worker ready: version ${ready.buildId}, process ${process.pid}`),
    );
  },
});
