import { UserError } from '../../packages/runtime/user-error.ts';
import { EXAMPLE } from './example.ts';
import { substituteEntity } from './forms.ts';

const LINE = /^export \{ \w+ \} from '\.\/([\w-]+)\.ts';$/;

const entityOf = (line: string | undefined): string | undefined => (line === undefined ? undefined : LINE.exec(line)?.[1]);

/** A registry with one more line, and where it stands (from 1). */
export interface ExtendedRegistry {
  readonly text: string;
  readonly line: number;
  readonly added: string;
}

/** Puts the entity's line into its place among the sorted lines around the example's, from which it is made; throws UserError when there is none or it is there already. */
export const addRegistryLine = (file: string, text: string, entity: string): ExtendedRegistry => {
  const lines = text.split('\n');
  const own = lines.findIndex((line) => entityOf(line) === EXAMPLE);
  if (own === -1) throw new UserError(`${file} has no line of ${EXAMPLE}: the example's own line is what a new one is made from`);
  if (lines.some((line) => entityOf(line) === entity)) throw new UserError(`${entity} is registered in ${file} already: choose another name`);
  let at = own;
  while (entityOf(lines[at - 1]) !== undefined) at -= 1;
  for (let other = entityOf(lines[at]); other !== undefined && other < entity; other = entityOf(lines[at])) at += 1;
  const added = substituteEntity(lines[own] ?? '', EXAMPLE, entity);
  return { text: lines.toSpliced(at, 0, added).join('\n'), line: at + 1, added };
};
