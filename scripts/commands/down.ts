import { defineCommand } from 'citty';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { isAlive } from '../../packages/runtime/process-identity.ts';
import { endOrphans } from '../../packages/runtime/stack-claim.ts';
import { findStack } from '../../packages/runtime/stack-target.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { commonArgs, dataArgs } from '../cli/common-args.ts';
import { createOutput } from '../cli/output.ts';

const STOPPED_WITHIN_MS = 15_000;

/** `strata down`: stops a stack that was started elsewhere, or what a killed one left behind. */
export const downCommand = defineCommand({
  meta: { name: 'down', description: 'stop the stack that runs on the data folder' },
  args: { ...commonArgs, ...dataArgs },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const dataDir = resolveDataDir(args.data ?? process.env['STRATA_DATA_DIR']);
    const stack = await findStack(dataDir);
    if (stack === undefined) {
      const ended = await endOrphans(dataDir, output.note);
      if (ended === 0) throw new UserError(`no stack runs on ${dataDir}: name its folder with --data`, EXIT.unreachable);
      return output.document({ stopped: true, orphans: ended }, () => `ended ${ended} processes of a stack that was killed`);
    }
    process.kill(stack.pid, 'SIGTERM');
    await waitUntil({ what: `the end of process ${stack.pid}`, timeoutMs: STOPPED_WITHIN_MS, probe: async () => !isAlive(stack.pid) });
    output.document({ stopped: true, pid: stack.pid }, () => `stopped the stack on ${dataDir}`);
  },
});
