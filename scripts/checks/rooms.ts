import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A room of the house as its tsconfig.json declares it. `references` are paths of rooms, sorted. */
export interface Room {
  readonly path: string;
  readonly purpose: string;
  readonly references: readonly string[];
}

interface RoomConfig {
  readonly display?: string;
  readonly references?: readonly { readonly path: string }[];
}

const readConfig = (root: string, room: string): RoomConfig => JSON.parse(readFileSync(join(root, room, 'tsconfig.json'), 'utf8')) as RoomConfig;

const resolveReferences = (room: string, config: RoomConfig): string[] =>
  (config.references ?? []).map(({ path }) => posix.normalize(posix.join(room, path))).sort();

/** Loads every room that the root tsconfig.json names, sorted by path. Throws when one has no `display` sentence. */
export function loadRooms(root: string): Room[] {
  // A reference to a file is a set of tools, not a room.
  const paths = resolveReferences('.', readConfig(root, '.')).filter((path) => !path.endsWith('.json'));
  return paths.map((path) => {
    const config = readConfig(root, path);
    if (config.display === undefined) throw new Error(`${path}/tsconfig.json: "display" must say in one sentence what the room is for`);
    return { path, purpose: config.display, references: resolveReferences(path, config) };
  });
}

/** Rooms in an order in which each follows all that it may import, or the rooms of a cycle when there is one. */
export function sortRooms(rooms: readonly Room[]): { readonly sorted: readonly Room[]; readonly cycle: readonly string[] } {
  const sorted: Room[] = [];
  let open = [...rooms];
  while (open.length > 0) {
    const free = open.filter(({ references }) => references.every((path) => sorted.some((room) => room.path === path)));
    if (free.length === 0) return { sorted, cycle: open.map(({ path }) => path) };
    sorted.push(...free);
    open = open.filter((room) => !free.includes(room));
  }
  return { sorted, cycle: [] };
}
