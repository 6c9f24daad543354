import ts from 'typescript';
import { UserError } from '../../packages/runtime/user-error.ts';
import { computeForms } from './forms.ts';

const MAX_LENGTH = 40;
const KEBAB = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/;

// Prefixes of other workflows' ids, names that the generated code uses itself, and members that modules and objects treat in a way of their own.
const TAKEN = ['agent-signal', 'arguments', 'constructor', 'eval', 'flow-control', 'pipeline', 'publish', 'runner', 'strata', 'then', 'undefined'];

const isKeyword = (word: string): boolean => {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2023, true);
  scanner.setText(word);
  return scanner.scan() !== ts.SyntaxKind.Identifier;
};

const toKebab = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[-0-9]+|-+$/g, '');

/** The name as an entity's: lower-case words joined by hyphens; throws UserError (exit 2) with the reason for any other. */
export const requireEntityName = (name: string): string => {
  if (!KEBAB.test(name)) {
    const near = toKebab(name);
    const hint = KEBAB.test(near) ? `, such as ${near}` : ', such as invoice-match';
    throw new UserError(`"${name}" is no name of a pipeline: write lower-case words that begin with a letter, joined by hyphens${hint}`);
  }
  if (name.length > MAX_LENGTH) throw new UserError(`"${name}" has ${name.length} characters: a pipeline's name has at most ${MAX_LENGTH}`);
  if (TAKEN.includes(name) || isKeyword(computeForms(name)[3] ?? name))
    throw new UserError(`"${name}" is a reserved word: choose a name of its own for the pipeline`);
  return name;
};
