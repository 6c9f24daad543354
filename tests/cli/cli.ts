import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStrata } from '../../packages/testing/strata-process.ts';
import type { StrataExit, StrataProcess } from '../../packages/testing/strata-process.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { rigEnv } from '../../packages/testing/worker-process.ts';

/** What a command printed as its documents, and how it ended. */
export interface Said extends StrataExit {
  readonly documents: readonly Record<string, unknown>[];
  /** The last document. */
  readonly answer: Record<string, unknown>;
}

/** The command line on a rig. */
export interface Cli {
  start(...words: readonly string[]): StrataProcess;
  /** Runs a command as it is. */
  say(...words: readonly string[]): Promise<StrataExit>;
  /** Runs a command with `--json`. */
  json(...words: readonly string[]): Promise<Said>;
}

export const createCli = (rig: Rig, env: Readonly<Record<string, string>> = {}): Cli => {
  const start = (...words: readonly string[]): StrataProcess => startStrata(words, { ...rigEnv(rig), STRATA_TASK_QUEUES: rig.taskQueue, ...env });
  return {
    start,
    say: (...words) => start(...words).exited,
    json: async (...words) => readDocuments(await start(...words, '--json').exited),
  };
};

const readDocuments = (exit: StrataExit): Said => {
  const documents = exit.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...exit, documents, answer: documents.at(-1) ?? {} };
};

/** Runs the real Temporal CLI against the rig's server. */
export const runTemporal = (rig: Rig, words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
    execFile(
      rig.servers.temporalBinary,
      [...words, '--address', rig.servers.temporalAddress, '--namespace', rig.namespace],
      { env, timeout: 30_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }),
    );
  });

/** Writes a file into a folder of its own; resolves to its path. */
export const writeScratch = async (name: string, text: string): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'strata-cli-')), name);
  await writeFile(path, text);
  return path;
};
