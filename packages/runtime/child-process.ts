import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Env } from './env.ts';

/** How a program is started. Its output goes to `logFile`, so that it survives the end of whoever started it. */
export interface StartProcessInput {
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env: Env;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** A program that was started by this process. */
export interface ManagedProcess {
  readonly pid: number;
  readonly command: string;
  /** Resolves once, with a sentence like "exit code 1" or "signal SIGKILL". */
  readonly exited: Promise<string>;
  isRunning(): boolean;
  /** Sends the signal, waits, and kills what is left after `graceMs`. Calling it again does no harm. */
  stop(input: { readonly signal: NodeJS.Signals; readonly graceMs: number }): Promise<void>;
}

/** Starts a program in a session of its own, so that Ctrl-C in the terminal reaches only the process that decides the order of stopping. */
export async function startProcess(input: StartProcessInput): Promise<ManagedProcess> {
  mkdirSync(dirname(input.logFile), { recursive: true });
  const log = openSync(input.logFile, 'a');
  const { uid, gid } = input;
  const child = spawn(input.command, [...input.args], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...input.env },
    ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  closeSync(log);
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  return manage(child, input.command);
}

function manage(child: ChildProcess, command: string): ManagedProcess {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  return {
    pid: child.pid ?? 0,
    command,
    exited,
    isRunning,
    async stop({ signal, graceMs }) {
      if (!isRunning()) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
