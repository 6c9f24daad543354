import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readTreeCpu, readUsage, resetPeaks } from './usage.ts';

const BALLAST_MB = 200;
/** Holds memory for a moment, gives it back, says so, and waits. */
const CHILD = `let b = Buffer.alloc(${BALLAST_MB} * 2 ** 20, 1); b = null; gc(); setTimeout(() => console.log('given back'), 300); process.stdin.resume();`;

/** Uses so much CPU time, however long it takes. */
const burn = (ms: number): void => {
  const from = process.cpuUsage().user;
  while (process.cpuUsage().user - from < ms * 1_000);
};

describe.runIf(process.platform === 'linux')('what the kernel counts', () => {
  test('the CPU time of a process grows with its work', async () => {
    const before = await readUsage(process.pid);
    burn(200);
    const { cpuSeconds, peakRssMb } = await readUsage(process.pid);
    expect(cpuSeconds - before.cpuSeconds).toBeGreaterThan(0.05);
    expect(peakRssMb).toBeGreaterThan(10);
  });

  test('the CPU time of a tree holds that of its children, ended ones too', async () => {
    const [own, tree] = [await readUsage(process.pid), await readTreeCpu(process.pid)];
    const child = spawn(process.execPath, ['-e', 'while (process.cpuUsage().user < 300_000);']);
    await new Promise((resolve) => child.once('close', resolve));
    const [ownAfter, treeAfter] = [await readUsage(process.pid), await readTreeCpu(process.pid)];
    expect(treeAfter - tree).toBeGreaterThan(ownAfter.cpuSeconds - own.cpuSeconds + 0.05);
  });

  test('a peak of memory can be started anew', async () => {
    const child = spawn(process.execPath, ['--expose-gc', '-e', CHILD], { stdio: ['pipe', 'pipe', 'inherit'] });
    const said = (): Promise<unknown> => new Promise((resolve) => child.stdout.once('data', resolve));
    await said();
    const pid = child.pid ?? 0;
    const held = await readUsage(pid);
    await resetPeaks([pid]);
    const after = await readUsage(pid);
    child.stdin.end();
    await new Promise((resolve) => child.once('close', resolve));
    expect(held.peakRssMb - after.peakRssMb).toBeGreaterThan(BALLAST_MB / 2);
  });
});
