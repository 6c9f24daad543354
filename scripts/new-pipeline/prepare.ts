import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'oxfmt';
import type { FormatConfig } from 'oxfmt';
import { UserError } from '../../packages/runtime/user-error.ts';
import { EXAMPLE, REGISTRIES, filesOf } from './example.ts';
import { substituteEntity } from './forms.ts';
import { addRegistryLine } from './registry-line.ts';
import type { FileChange } from './write-files.ts';

/** Everything that a new pipeline changes in a checkout, ready to be written. */
export interface PreparedPipeline {
  readonly created: readonly FileChange[];
  readonly changed: readonly FileChange[];
  /** The lines that `changed` adds. */
  readonly registered: readonly { readonly file: string; readonly line: number; readonly text: string }[];
}

const requireText = (root: string, file: string): string => {
  const path = join(root, file);
  if (!existsSync(path))
    throw new UserError(`${file} is missing in ${root}: a new pipeline is made from the example ${EXAMPLE} of a checkout of Strata`);
  return readFileSync(path, 'utf8');
};

// A word of another length breaks lines elsewhere.
const formatCopy = async (root: string, file: string, text: string): Promise<string> => {
  const options = JSON.parse(requireText(root, '.oxfmtrc.json')) as FormatConfig;
  const { code, errors } = await format(basename(file), text, options);
  if (errors[0] !== undefined) throw new Error(`${file} cannot be formatted: ${errors[0].message}`);
  return code;
};

/** Copies the example under the entity's name and adds its registry lines, all in memory; throws UserError (exit 2) where a file or line is there already. */
export const preparePipeline = async (root: string, entity: string): Promise<PreparedPipeline> => {
  const targets = filesOf(entity);
  const taken = targets.find((file) => existsSync(join(root, file)));
  if (taken !== undefined) throw new UserError(`${taken} exists already: choose another name than ${entity}`);
  const copies = filesOf(EXAMPLE).map((file, index) => ({
    path: targets[index] ?? '',
    text: substituteEntity(requireText(root, file), EXAMPLE, entity),
  }));
  const created = await Promise.all(copies.map(async ({ path, text }) => ({ path, before: null, after: await formatCopy(root, path, text) })));
  const registries = REGISTRIES.map((path) => {
    const before = requireText(root, path);
    return { path, before, extended: addRegistryLine(path, before, entity) };
  });
  return {
    created,
    changed: registries.map(({ path, before, extended }) => ({ path, before, after: extended.text })),
    registered: registries.map(({ path, extended }) => ({ file: path, line: extended.line, text: extended.added })),
  };
};
