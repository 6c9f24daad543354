import { defineCommand } from 'citty';
import { definedOnly } from '../../packages/runtime/env.ts';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { findStack, isTemporalGiven } from '../../packages/runtime/stack-target.ts';
import { runWorker } from '../../workers/worker.ts';
import { commonArgs, dataArgs } from '../cli/common-args.ts';
import { createOutput } from '../cli/output.ts';

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
    const given = definedOnly(process.env);
    const stack = await findStack(resolveDataDir(args.data ?? given['STRATA_DATA_DIR']));
    const output = createOutput(args.json === true);
    const env = {
      ...(stack && { DATABASE_URL: stack.databaseUrl }),
      ...(stack && !isTemporalGiven(given) && { TEMPORAL_ADDRESS: stack.temporalAddress, TEMPORAL_CONFIG_FILE: `${stack.dataDir}/temporal.toml` }),
      ...given,
      ...(args.data && { STRATA_DATA_DIR: args.data }),
      ...(args.queues && { STRATA_TASK_QUEUES: args.queues }),
      ...(args['set-current'] && { STRATA_SET_CURRENT: 'true' }),
    };
    await runWorker(env, (ready) =>
      output.document({ ready: true, ...ready, pid: process.pid }, () => `worker ready: version ${ready.buildId}, process ${process.pid}`),
    );
  },
});
