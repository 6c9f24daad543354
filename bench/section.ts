import { readFile, writeFile } from 'node:fs/promises';
import { UserError } from '../packages/runtime/user-error.ts';

const BEGIN = '<!-- strata bench: begin -->';
const END = '<!-- strata bench: end -->';

/** The text with what stands between the two markers replaced; undefined where it has not exactly one pair of them. */
export const replaceSection = (text: string, section: string): string | undefined => {
  const [before, rest, ...more] = text.split(BEGIN);
  const [, after, ...others] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0) return undefined;
  return `${before}${BEGIN}\n\n${section}\n\n${END}${after}`;
};

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: --write replaces what stands between two markers of an existing file`, undefined, error);
  });

/** Refuses a file that has no place for the report, before anything is measured. */
export const requireSection = async (file: string): Promise<void> => {
  if (replaceSection(await readText(file), '') === undefined) throw new UserError(`${file} must hold one line ${BEGIN} and below it one line ${END}`);
};

/** Writes the report between the markers of a file. */
export const writeSection = async (file: string, section: string): Promise<void> => {
  const text = replaceSection(await readText(file), section);
  if (text !== undefined) await writeFile(file, text);
};
