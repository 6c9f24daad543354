import { defineCommand } from 'citty';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { EXIT } from '../../packages/runtime/user-error.ts';
import { commonArgs, dataArgs } from '../cli/common-args.ts';
import { createOutput } from '../cli/output.ts';
import { examine } from '../cli/examine.ts';

/** `strata doctor`: one line for each part, exit 3 unless all of them are well. */
export const doctorCommand = defineCommand({
  meta: { name: 'doctor', description: 'check each part of the stack' },
  args: { ...commonArgs, ...dataArgs },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const checks = await examine(process.env, resolveDataDir(args.data ?? process.env['STRATA_DATA_DIR']));
    const ok = checks.every((check) => check.ok);
    output.document({ ok, checks }, () =>
      checks
        .map(({ name, ok: isWell, detail }) => `${isWell ? output.colors.green('ok  ') : output.colors.red('FAIL')} ${name.padEnd(18)} ${detail}`)
        .join('\n'),
    );
    return ok ? EXIT.done : EXIT.unreachable;
  },
});
