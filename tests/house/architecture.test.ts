import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DRAWING_PATH, drawArchitecture } from '../../scripts/checks/architecture.ts';
import { findCrossings, listImports } from '../../scripts/checks/imports.ts';
import { loadRooms, sortRooms } from '../../scripts/checks/rooms.ts';

const root = join(import.meta.dirname, '../..');
const rooms = loadRooms(root);

describe('the drawing of the house', () => {
  test('equals the references (node scripts/draw-architecture.ts draws it anew)', () => {
    expect(readFileSync(join(root, DRAWING_PATH), 'utf8')).toBe(drawArchitecture(rooms));
  });

  test('holds every folder that has a tsconfig.json', () => {
    const folders = globSync(['*/tsconfig.json', '{packages,bench}/*/tsconfig.json'], { cwd: root }).map((file) => dirname(file));
    expect(rooms.map(({ path }) => path)).toEqual(folders.sort());
  });

  test('has no cycle', () => {
    expect(sortRooms(rooms).cycle).toEqual([]);
  });

  test('has one sink, the contracts', () => {
    const imported = new Set(rooms.flatMap(({ references }) => references));
    expect(rooms.filter(({ path, references }) => references.length === 0 && imported.has(path)).map(({ path }) => path)).toEqual([
      'packages/contracts',
    ]);
  });

  test('keeps workflows and activities apart, in both directions', () => {
    const reach = (path: string): string[] => {
      const references = rooms.find((room) => room.path === path)?.references ?? [];
      return references.flatMap((next) => [next, ...reach(next)]);
    };
    expect(reach('workflows')).not.toContain('activities');
    expect(reach('activities')).not.toContain('workflows');
  });
});

describe('the imports of the house', () => {
  const imports = listImports(root, rooms);
  const crossings = findCrossings(rooms, imports);

  test('are read from every room', () => {
    const isRead = (path: string): boolean => imports.some(({ file }) => file.startsWith(`${path}/`));
    expect(rooms.map(({ path }) => path).filter((path) => !isRead(path))).toEqual([]);
  });

  test('cross from room to room only along a reference', () => {
    const referencesOf = new Map(rooms.map(({ path, references }) => [path, references]));
    expect(crossings.filter(({ from, to }) => !referencesOf.get(from)?.includes(to))).toEqual([]);
  });

  test('name a file that ends in .ts or .json', () => {
    expect(imports.filter(({ specifier }) => specifier.startsWith('.') && !/\.(ts|json)$/.test(specifier))).toEqual([]);
  });
});
