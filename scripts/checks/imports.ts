import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import type { Room } from './rooms.ts';

/** One import statement (type imports too), with paths from the root of the repository. */
export interface ImportLine {
  readonly file: string;
  readonly specifier: string;
}

/** A relative import between two rooms. */
export interface Crossing extends ImportLine {
  readonly from: string;
  readonly to: string;
}

const isIgnored = (path: string): boolean => /(^|\/)(node_modules|\.types|\.strata)(\/|$)/.test(path);

/** Every import of every TypeScript file of the given rooms. */
export function listImports(root: string, rooms: readonly Room[]): ImportLine[] {
  const files = rooms.flatMap(({ path }) => globSync(`${path}/**/*.ts`, { cwd: root, exclude: isIgnored }));
  return files.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true);
    return importedFiles.map(({ fileName }) => ({ file, specifier: fileName }));
  });
}

const findRoom = (rooms: readonly Room[], file: string): string =>
  rooms.findLast(({ path }) => file.startsWith(`${path}/`))?.path ?? 'outside every room';

/** The relative imports that leave their room. */
export function findCrossings(rooms: readonly Room[], imports: readonly ImportLine[]): Crossing[] {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ file, specifier }) => {
      const target = posix.join(posix.dirname(file), specifier);
      return { file, specifier, from: findRoom(rooms, file), to: findRoom(rooms, target) };
    })
    .filter(({ from, to }) => from !== to);
}
