import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, isProgram } from './process-identity.ts';
import { readStackFile, removeStackFile } from './stack-file.ts';
import type { StackPart } from './stack-file.ts';
import { EXIT, UserError } from './user-error.ts';
import { waitUntil } from './wait-until.ts';

const ORPHAN_GRACE_MS = 10_000;

/** A word in the command line of every process that may hold a claim. */
export const STACK_PROGRAM = 'strata.ts';

/** Claims a data folder for this process; a UserError (exit 3) if a living stack holds it. What a dead one left behind is ended first. */
export async function claimDataDir(dataDir: string, say: (sentence: string) => void): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const lock = join(dataDir, 'up.lock');
  for (;;) {
    const isOurs = await writeFile(lock, String(process.pid), { flag: 'wx' }).then(() => true, isTaken);
    if (isOurs) break;
    const holder = Number(await readFile(lock, 'utf8').catch(() => '0'));
    if (holder !== process.pid && isProgram(holder, [STACK_PROGRAM])) {
      throw new UserError(`a stack already runs on ${dataDir} (process ${holder}): use it, or end it with \`strata down\``, EXIT.unreachable);
    }
    await rm(lock, { force: true });
  }
  await endOrphans(dataDir, say);
  return () => rm(lock, { force: true });
}

/** Ends the parts of a stack whose `up` was killed, last started first, and only those whose command line is the recorded one. */
export async function endOrphans(dataDir: string, say: (sentence: string) => void): Promise<number> {
  const stack = await readStackFile(dataDir);
  const orphans = (stack?.parts ?? []).filter((part) => isProgram(part.pid, part.words)).reverse();
  for (const orphan of orphans) {
    say(`ending ${orphan.name} (process ${orphan.pid}), left behind by a stack that was killed`);
    await endOrphan(orphan);
  }
  await removeStackFile(dataDir);
  return orphans.length;
}

async function endOrphan(part: StackPart): Promise<void> {
  // Postgres takes SIGINT for a fast shutdown; on SIGTERM it would wait for its sessions.
  process.kill(part.pid, part.name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  const hasEnded = async (): Promise<boolean> => !isAlive(part.pid);
  try {
    await waitUntil({ what: `the end of ${part.name}`, timeoutMs: ORPHAN_GRACE_MS, probe: hasEnded });
  } catch {
    if (isProgram(part.pid, part.words)) process.kill(part.pid, 'SIGKILL');
    await waitUntil({ what: `the end of ${part.name}`, timeoutMs: ORPHAN_GRACE_MS, probe: hasEnded });
  }
}

function isTaken(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  return false;
}
