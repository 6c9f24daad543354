import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Name of this process for Temporal and for leases; unique, because a restarted container has its predecessor's host name and process id. */
export function createProcessIdentity(): string {
  return `${process.pid}@${hostname()}/${randomBytes(3).toString('hex')}`;
}

/** True while a process of that id exists (also one that this user may not signal). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** True if the process runs and every given word is in its command line, so that a reused id is not taken for the program that once had it. */
export function isProgram(pid: number, words: readonly string[]): boolean {
  if (!isAlive(pid)) return false;
  const commandLine = readCommandLine(pid);
  return words.every((word) => commandLine.includes(word));
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return readWithPs(pid);
  }
}

function readWithPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
