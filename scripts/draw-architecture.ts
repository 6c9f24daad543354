import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DRAWING_PATH, drawArchitecture } from './checks/architecture.ts';
import { loadRooms } from './checks/rooms.ts';

const root = join(import.meta.dirname, '..');
const rooms = loadRooms(root);
writeFileSync(join(root, DRAWING_PATH), drawArchitecture(rooms));
console.log(`drew ${rooms.length} rooms into ${DRAWING_PATH}`);
