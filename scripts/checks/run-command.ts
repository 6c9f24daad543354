import { spawn } from 'node:child_process';

/** A program to run to its end. `output`: shown as it comes, or kept for the caller. */
export interface RunCommandInput {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly output: 'shown' | 'kept';
  readonly deadlineMs: number;
}

/** How a program ended: `exitCode` is null when a signal or the deadline ended it. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly seconds: number;
  readonly isOverdue: boolean;
}

const KILL_AFTER_MS = 30_000;
// Some tools colour a pipe when they believe that they run in CI.
const COLOURS: Readonly<Record<string, string>> = process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: '0' };

/** Runs a program; one that outlives its deadline is interrupted, then killed. Rejects only when it cannot be started. */
export function runCommand(input: RunCommandInput): Promise<CommandEnd> {
  const startedAt = performance.now();
  const child = spawn(input.command, input.args, {
    cwd: input.cwd,
    env: { ...process.env, ...COLOURS, ...input.env },
    stdio: input.output === 'shown' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));

  let isOverdue = false;
  let killer: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGINT');
    killer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  }, input.deadlineMs);
  const pass = (signal: NodeJS.Signals): boolean => child.kill(signal);
  process.on('SIGTERM', pass);

  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(deadline);
      clearTimeout(killer);
      process.off('SIGTERM', pass);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code) => {
      settle();
      const seconds = (performance.now() - startedAt) / 1_000;
      resolve({ exitCode: isOverdue ? null : code, output: Buffer.concat(chunks).toString(), seconds, isOverdue });
    });
  });
}
