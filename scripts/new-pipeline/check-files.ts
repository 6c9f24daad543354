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

/** Type-checks the checkout, lints the files and checks their format; `say` hears the name of each check before it runs. */
export const checkFiles = async (root: string, files: readonly string[], say: (name: string) => void): Promise<readonly FileCheck[]> => {
  const checks: FileCheck[] = [];
  for (const { name, path, args } of PROGRAMS) {
    say(name);
    const program = [`node_modules/${path}`, ...args(files)];
    const end = await runCommand({ command: process.execPath, args: program, cwd: root, output: 'kept', deadlineMs: DEADLINE_MS });
    const [ok, seconds] = [end.exitCode === 0, Math.round(end.seconds * 10) / 10];
    checks.push({ name, ok, seconds, ...(ok ? {} : { output: end.output.trim() }) });
  }
  return checks;
};
