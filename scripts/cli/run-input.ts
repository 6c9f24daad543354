import { readFile } from 'node:fs/promises';
import type { StartInput } from '../../packages/contracts/fields.ts';
import { UserError } from '../../packages/runtime/user-error.ts';

const EXPECTED = 'expected one JSON object or @file';

/** What the words of a start say: the input as given, and the controls that stand as options beside it. */
export interface GivenStart {
  readonly rawArgs: readonly string[];
  readonly input: string | undefined;
  readonly dryRun: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** Reads a start's input from the command line, with `--dry-run` and `--force` laid over it; a UserError says what was expected. */
export async function readStartInput({ rawArgs, input, dryRun, force }: GivenStart): Promise<StartInput> {
  const count = rawArgs.filter((word) => word === '--input' || word.startsWith('--input=')).length;
  if (count > 1) throw new UserError(`--input: expected exactly one argument, got ${count}`);
  const given = input === undefined ? {} : parseObject(await readGiven(input), input.startsWith('@') ? input.slice(1) : '--input');
  return withControl(withControl(given, 'dryRun', dryRun), 'force', force);
}

async function readGiven(input: string): Promise<string> {
  if (!input.startsWith('@')) return input;
  return readFile(input.slice(1), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`--input: the file ${input.slice(1)} cannot be read (${error.code}): ${EXPECTED}`);
  });
}

function parseObject(text: string, where: string): StartInput {
  const value = parseJson(text.replace(/^\uFEFF/, ''), where);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UserError(`${where}: expected an object, got ${nameOf(value)}`);
  return value as StartInput;
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const documents = countDocuments(text);
    if (documents > 1) throw new UserError(`${where}: expected exactly one argument, got ${documents} JSON documents`);
    const reason = text.trim() === '' ? 'it is empty' : (error as Error).message;
    throw new UserError(`${where} is not JSON (${reason}): ${EXPECTED}`);
  }
}

/** Documents of a text that has one to a line; 0 if a line is none. */
function countDocuments(text: string): number {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    for (const line of lines) JSON.parse(line);
    return lines.length;
  } catch {
    return 0;
  }
}

function withControl(input: StartInput, name: 'dryRun' | 'force', flag: boolean | undefined): StartInput {
  if (flag === undefined) return input;
  const option = `--${flag ? '' : 'no-'}${name === 'dryRun' ? 'dry-run' : name}`;
  if (input[name] !== undefined && input[name] !== flag)
    throw new UserError(`${option} contradicts the input, which says ${name}: ${JSON.stringify(input[name])}`);
  return { ...input, [name]: flag };
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
