import type { ArgDef, ArgsDef, CommandDef } from 'citty';
import { UserError } from '../../packages/runtime/user-error.ts';
import { suggestName } from './nearest.ts';

/** A command of the tree with whatever arguments. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyCommand = CommandDef<any>;

/** The command that the words name, and the words left for it. */
export interface ResolvedCommand {
  readonly command: AnyCommand;
  readonly parent: AnyCommand | undefined;
  readonly path: readonly string[];
  readonly rest: readonly string[];
  readonly hasSubCommands: boolean;
}

/** Walks down the tree as far as the words name commands; an unknown name is refused with the nearest known one. */
export async function resolveCommand(root: AnyCommand, words: readonly string[]): Promise<ResolvedCommand> {
  let [command, parent, rest]: [AnyCommand, AnyCommand | undefined, readonly string[]] = [root, undefined, words];
  const path: string[] = [];
  for (;;) {
    const children = await valueOf(command.subCommands);
    const hasSubCommands = children !== undefined;
    const [name] = rest;
    if (children === undefined || name === undefined || name.startsWith('-')) return { command, parent, path, rest, hasSubCommands };
    const child = Object.hasOwn(children, name) ? children[name] : undefined;
    if (child === undefined) throw new UserError(`unknown command "${[...path, name].join(' ')}": ${suggestName(name, Object.keys(children))}`);
    [command, parent, rest] = [await valueOf(child), command, rest.slice(1)];
    path.push(name);
  }
}

/** Refuses unknown options, options without their value and surplus words, each with what would be right. */
export function checkWords(args: ArgsDef, { path, rest }: Pick<ResolvedCommand, 'path' | 'rest'>): void {
  const command = path.join(' ');
  const known = Object.entries(args).filter(([, definition]) => definition.type !== 'positional');
  const places = Object.values(args).filter((definition) => definition.type === 'positional').length;
  const words: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (word === '--') {
      words.push(...rest.slice(at + 1));
      break;
    }
    if (!/^-\D/.test(word)) {
      words.push(word);
      continue;
    }
    const [option, value] = splitOnce(word);
    const definition = findOption(option, known);
    if (definition === undefined)
      throw new UserError(`unknown option ${option} of "${command}": ${suggestName(option, ['--help', ...known.map(([name]) => `--${name}`)])}`);
    if (definition.type === 'boolean' || value !== undefined) continue;
    at += 1;
    const next = rest[at];
    if (next === undefined || /^--\D/.test(next)) throw new UserError(`option ${option} of "${command}" needs a value`);
  }
  if (words.length > places) throw new UserError(`unexpected "${words[places]}" after "${command}": see strata ${command} --help`);
}

function findOption(option: string, known: readonly (readonly [string, ArgDef])[]): ArgDef | undefined {
  const name = option.replace(/^--?/, '');
  const isShort = !option.startsWith('--');
  return known.find(([own, definition]) => {
    const aliases = [('alias' in definition && definition.alias) || []].flat();
    if (aliases.includes(name)) return true;
    return !isShort && (own === name || (definition.type === 'boolean' && `no-${own}` === name));
  })?.[1];
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

async function valueOf<T>(resolvable: T | Promise<T> | (() => T) | (() => Promise<T>)): Promise<T> {
  return typeof resolvable === 'function' ? await (resolvable as () => T | Promise<T>)() : await resolvable;
}
