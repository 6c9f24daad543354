import { stripVTControlCharacters } from 'node:util';
import { renderUsage, runCommand } from 'citty';
import type { ArgsDef } from 'citty';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import type { ExitCode } from '../../packages/runtime/user-error.ts';
import { checkWords, resolveCommand } from './usage.ts';
import type { AnyCommand, ResolvedCommand } from './usage.ts';

/** Runs the command that the words name and resolves to its exit code: what `run` answered, `0` where it answered nothing. Never rejects. */
export async function runCli(root: AnyCommand, given: readonly string[]): Promise<ExitCode> {
  const words = behindTheCommand(given);
  try {
    const resolved = await resolveCommand(root, words);
    if (resolved.rest.some((word) => word === '--help' || word === '-h')) {
      process.stdout.write(await usageOf(resolved));
      return EXIT.done;
    }
    if (resolved.hasSubCommands) {
      process.stderr.write(await usageOf(resolved));
      throw new UserError('no command given: choose one of the above');
    }
    checkWords(((await resolved.command.args) ?? {}) as ArgsDef, resolved);
    const { result } = await runCommand(resolved.command, { rawArgs: [...resolved.rest] });
    return (result as ExitCode | undefined) ?? EXIT.done;
  } catch (error) {
    return reportFailure(error, { isJson: words.includes('--json') });
  }
}

async function usageOf({ command, parent }: ResolvedCommand): Promise<string> {
  const text = `${await renderUsage(command, parent)}\n`;
  return process.stdout.isTTY ? text : stripVTControlCharacters(text);
}

/** `strata --json status X` means `strata status X --json`. */
function behindTheCommand(words: readonly string[]): readonly string[] {
  return words[0] === '--json' ? [...words.slice(1), '--json'] : words;
}

/** Prints one line: what was wrong and what to do. A trace is shown only for a fault of ours, and only if STRATA_DEBUG is set. */
export function reportFailure(error: unknown, { isJson }: { readonly isJson: boolean }): ExitCode {
  const { message, exitCode } = explain(error);
  const line = message.replaceAll(/\s*\n\s*/g, ' ');
  process.stderr.write(`strata: ${line}\n`);
  if (isJson) process.stdout.write(`${JSON.stringify({ error: line, exitCode })}\n`);
  if (process.env['STRATA_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return exitCode;
}

function explain(error: unknown): { message: string; exitCode: ExitCode } {
  if (error instanceof UserError) return error;
  if (!(error instanceof Error)) return { message: String(error), exitCode: EXIT.endedBadly };
  if (error.name === 'CLIError') return { message: error.message, exitCode: EXIT.refused };
  if (isUnreachable(error))
    return { message: `a part of the stack does not answer (${error.message}): see \`strata doctor\``, exitCode: EXIT.unreachable };
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return { message: `${error.message}${cause}; STRATA_DEBUG=1 shows where`, exitCode: EXIT.endedBadly };
}

const UNREACHABLE_CODES: readonly unknown[] = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', '57P01', '57P03', 14];

function isUnreachable(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (UNREACHABLE_CODES.includes((at as { code?: unknown }).code)) return true;
  }
  return false;
}
