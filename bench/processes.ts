import { spawn } from 'node:child_process';
import { waitUntil } from '../packages/runtime/wait-until.ts';
import { readUsage } from './usage.ts';
import type { ProcessUsage } from './usage.ts';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
const KEPT_CHARACTERS = 4_000;

/** A worker process of the benchmark. */
export interface BenchProcess {
  readonly pid: number;
  readonly exited: Promise<void>;
  hasEnded(): boolean;
  usage(): Promise<ProcessUsage>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, and waits for the end; what has not ended after 15 s is killed. */
  stop(): Promise<void>;
}

/** A worker process that may not take work yet. */
export interface StartingProcess extends BenchProcess {
  /** Resolves when it says that it takes work; an Error with its last words if it ends before. */
  readonly ready: Promise<void>;
}

/** Starts a Node program that prints a JSON line when it takes work. It leads a process group of its own: Ctrl-C in the terminal reaches only the benchmark. */
export const startBenchProcess = (words: readonly string[], env: Readonly<Record<string, string>>): StartingProcess => {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|STRATA_|DATABASE_URL)/.test(name)));
  const child = spawn(process.execPath, [...words], { env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout = stdout.includes('\n') ? stdout : stdout + chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-KEPT_CHARACTERS)));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const awaitReady = async (): Promise<void> => {
    await waitUntil({ what: 'a worker process taking work', timeoutMs: READY_WITHIN_MS, probe: async () => stdout.includes('\n') || hasEnded() });
    if (hasEnded()) throw new Error(`a worker process ended at its start: ${stderr}`);
  };
  const ready = awaitReady();
  ready.catch(() => undefined);
  const pid = child.pid ?? 0;
  return {
    pid,
    exited,
    ready,
    hasEnded,
    usage: () => readUsage(pid),
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(timer);
    },
  };
};
