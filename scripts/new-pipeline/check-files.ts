import { runCommand } from '../checks/run-command.ts';

/** The verdict of one check; the output is there when it failed. */
export interface FileCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output?: string;
}

const DEADLINE_MS = 300_000;

const PROGRAMS: readonly { readonly name: string; readonly path: string; readonly args: (files: readonly string[]) => readonly string[] }[] = [
  { name: 'types', path: 'typescript/bin/tsc', args: () => ['-b'] },
  { name: 'lint', path: 'oxlint/bin/oxlint', args: (files) => ['--format', 'unix', ...files] },
  { name: 'format', path: 'oxfmt/bin/oxfmt', args: (files) => ['--check', ...files] },
];

/** Type-checks the checkout, lints the files and checks their format, all at once. */
export const checkFiles = (root: string, files: readonly string[]): Promise<readonly FileCheck[]> =>
  Promise.all(
    PROGRAMS.map(async ({ name, path, args }) => {
      const program = [`node_modules/${path}`, ...args(files)];
      const end = await runCommand({ command: process.execPath, args: program, cwd: root, output: 'kept', deadlineMs: DEADLINE_MS });
      const [ok, seconds] = [end.exitCode === 0, Math.round(end.seconds * 10) / 10];
      return { name, ok, seconds, ...(ok ? {} : { output: end.output.trim() || `stopped after ${seconds} s` }) };
    }),
  );
