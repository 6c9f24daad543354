import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Which CLI speaks to which server. */
export interface TemporalCliInput {
  readonly binary: string;
  readonly address: string;
  readonly namespace: string;
}

/** Runs words of the real Temporal CLI and resolves to its standard output; rejects with what it said where it exits with another code than 0. */
export type TemporalCli = (...words: readonly string[]) => Promise<string>;

/** A Temporal CLI without the user's own profiles. */
export function createTemporalCli({ binary, address, namespace }: TemporalCliInput): TemporalCli {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_'))),
    TEMPORAL_CONFIG_FILE: '/dev/null',
  };
  return async (...words) => {
    const { stdout } = await run(binary, [...words, '--address', address, '--namespace', namespace], { env, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  };
}
