import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../runtime/paths.ts';
import { waitUntil } from '../runtime/wait-until.ts';

/** How a process of the command line ended. */
export interface StrataExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process of the command line. */
export interface StrataProcess {
  readonly pid: number;
  readonly exited: Promise<StrataExit>;
  /** The first JSON document on stdout; rejects with what the process said if it ends before. */
  firstDocument(timeoutMs?: number): Promise<Record<string, unknown>>;
  kill(signal: NodeJS.Signals): void;
}

/** Variables laid over a clean environment: nothing of the user's own TEMPORAL_*, DATABASE_URL or STRATA_* reaches the process. */
export type StrataEnv = Readonly<Record<string, string>>;

/** Starts `strata` with these words. */
export function startStrata(words: readonly string[], env: StrataEnv = {}): StrataProcess {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|STRATA_|DATABASE_URL|VITEST|NODE_OPTIONS)/.test(name)),
  );
  const child = spawn(process.execPath, [join(REPOSITORY_ROOT, 'scripts/strata.ts'), ...words], {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  let ended: StrataExit | undefined;
  const exited = new Promise<StrataExit>((resolve) => {
    child.once('close', (code, signal) => {
      ended = { code, signal, stdout, stderr };
      resolve(ended);
    });
  });
  const firstDocument = async (timeoutMs = 120_000): Promise<Record<string, unknown>> => {
    await waitUntil({ what: `a document of strata ${words.join(' ')}`, timeoutMs, probe: async () => ended !== undefined || stdout.includes('\n') });
    const [line] = stdout.split('\n');
    if (line === undefined || !line.startsWith('{')) throw new Error(`strata ${words.join(' ')} printed no document: ${stderr}`);
    return JSON.parse(line) as Record<string, unknown>;
  };
  return { pid: child.pid ?? 0, exited, firstDocument, kill: (signal) => void child.kill(signal) };
}

/** Runs `strata` with these words to its end. */
export function runStrata(words: readonly string[], env: StrataEnv = {}): Promise<StrataExit> {
  return startStrata(words, env).exited;
}
