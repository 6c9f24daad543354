import { readFile } from 'node:fs/promises';
import { UserError } from '../../packages/runtime/user-error.ts';

const EXPECTED = 'expected a file, @file or JSON; many events are one JSON object a line';

async function readText(given: string): Promise<string> {
  if (given.trimStart().startsWith('{')) return given;
  const file = given.startsWith('@') ? given.slice(1) : given;
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} cannot be read (${error.code}): ${EXPECTED}`);
  });
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${where} is not JSON (${(error as Error).message}): ${EXPECTED}`);
  }
}

/** Reads the events that a command names, one or many; a UserError says what was expected, before any is sent. */
export async function readEvents(given: string): Promise<readonly unknown[]> {
  const text = (await readText(given)).replace(/^\uFEFF/, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new UserError(`${given} is empty: ${EXPECTED}`);
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return lines.map((line, index) => parse(line, lines.length === 1 ? given.slice(0, 60) : `line ${index + 1}`));
  }
}
