import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProcess } from './child-process.ts';
import type { ManagedProcess } from './child-process.ts';
import { isAlive } from './process-identity.ts';
import { claimDataDir } from './stack-claim.ts';
import { readStackFile, stackFilePath, writeStackFile } from './stack-file.ts';
import type { StackFile, StackPart } from './stack-file.ts';
import { findStack } from './stack-target.ts';

let folder = '';
const running: ManagedProcess[] = [];
const silent = (): void => undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-claim-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop({ signal: 'SIGKILL', graceMs: 1_000 })));
  await rm(folder, { recursive: true, force: true });
});

async function startIdle(...words: string[]): Promise<ManagedProcess> {
  const args = ['-e', 'setInterval(() => {}, 1000)', ...words];
  const started = await startProcess({ command: process.execPath, args, env: {}, logFile: join(folder, 'log') });
  running.push(started);
  return started;
}

const stackOf = (pid: number, parts: StackPart[]): StackFile => ({
  pid,
  startedAt: '2026-01-01T00:00:00.000Z',
  dataDir: folder,
  temporalAddress: '127.0.0.1:1',
  namespace: 'default',
  uiUrl: null,
  gatewayUrl: null,
  databaseUrl: 'postgres://127.0.0.1:2/strata',
  parts,
});

test('a data folder that a living stack holds is refused with exit code 3 and its process', async () => {
  const holder = await startIdle('strata.ts', 'up');
  await writeFile(join(folder, 'up.lock'), String(holder.pid));
  await expect(claimDataDir(folder, silent)).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining(`process ${holder.pid}`) });
});

test('a claim of a process that is gone, or whose id now belongs to another program, is taken over', async () => {
  const other = await startIdle('something-else');
  for (const pid of [2 ** 22 + 1, other.pid]) {
    await writeFile(join(folder, 'up.lock'), String(pid));
    const release = await claimDataDir(folder, silent);
    expect(await readFile(join(folder, 'up.lock'), 'utf8')).toBe(String(process.pid));
    await release();
  }
  expect(isAlive(other.pid)).toBe(true);
});

test('the parts of a killed stack are ended; a process that only has the recorded id is not', async () => {
  const orphan = await startIdle('worker-of-this-stack');
  const stranger = await startIdle('a-program-of-somebody-else');
  const parts = [
    { name: 'worker-1', pid: orphan.pid, words: ['worker-of-this-stack'] },
    { name: 'temporal', pid: stranger.pid, words: ['temporal', 'server'] },
  ];
  await writeStackFile(stackOf(2 ** 22 + 1, parts));
  const said: string[] = [];
  const release = await claimDataDir(folder, (sentence) => said.push(sentence));
  await release();
  expect([isAlive(orphan.pid), isAlive(stranger.pid)]).toEqual([false, true]);
  expect(said).toEqual([expect.stringContaining(`ending worker-1 (process ${orphan.pid})`)]);
  expect(await readStackFile(folder)).toBeUndefined();
});

test('the file is for its owner only, and one of a killed stack is not a stack', async () => {
  await writeStackFile(stackOf(2 ** 22 + 1, []));
  expect((await stat(stackFilePath(folder))).mode & 0o077).toBe(0);
  expect(await findStack(folder)).toBeUndefined();
});

test('a file of another shape is no stack', async () => {
  for (const text of ['', '{', '{"pid":1}', '[]']) {
    await writeFile(stackFilePath(folder), text);
    expect(await readStackFile(folder)).toBeUndefined();
  }
});
