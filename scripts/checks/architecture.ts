import { sortRooms } from './rooms.ts';
import type { Room } from './rooms.ts';

/** Where the drawing lives, from the root of the repository. */
export const DRAWING_PATH = 'docs/architecture.md';

const HEAD = `# Architecture

Drawn from the \`references\` and \`display\` of each room's \`tsconfig.json\` by \`node scripts/draw-architecture.ts\`; a test fails when it differs.
An arrow says "may import"; the compiler refuses every other import between rooms. Arrows that follow from others are left out of the picture and listed in the table.
`;

const nameRoom = (path: string): string => path.replace(/^packages\//, '');

/** References that no other reference already implies. */
function findDirectReferences(room: Room, byPath: ReadonlyMap<string, Room>): readonly string[] {
  const reach = (path: string): string[] => (byPath.get(path)?.references ?? []).flatMap((next) => [next, ...reach(next)]);
  const implied = new Set(room.references.flatMap(reach));
  return room.references.filter((path) => !implied.has(path));
}

/** The text of docs/architecture.md: a mermaid picture and a table, sources first. Throws when rooms import each other. */
export function drawArchitecture(rooms: readonly Room[]): string {
  const { sorted, cycle } = sortRooms(rooms);
  if (cycle.length > 0) throw new Error(`these rooms import each other: ${cycle.join(', ')}`);
  const ordered = [...sorted].reverse();
  const byPath = new Map(rooms.map((room) => [room.path, room]));
  const arrows = ordered.flatMap((room) => findDirectReferences(room, byPath).map((path) => `  ${nameRoom(room.path)} --> ${nameRoom(path)}`));
  const rows = ordered.map(({ path, purpose, references }) => {
    const targets = references.map(nameRoom).join(', ');
    return `| \`${path}\` | ${purpose} | ${targets === '' ? 'nothing' : targets} |`;
  });
  return [HEAD, '```mermaid', 'flowchart TD', ...arrows, '```', '', '| room | is for | may import |', '|---|---|---|', ...rows, ''].join('\n');
}
