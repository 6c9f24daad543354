import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BenchReport } from '../../bench/report.ts';
import { isAlive } from '../../packages/runtime/process-identity.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { runStrata, startStrata } from '../../packages/testing/strata-process.ts';

/** What a benchmark of a Strata row has running. */
const PARTS = ['Temporal', 'Postgres', 'a worker'];
const MARKERS = '<!-- strata bench: begin -->\n<!-- strata bench: end -->';

// The benchmark keeps everything below the folder for temporary files: one of the test's own shows what is left.
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-bench-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const env = (): Readonly<Record<string, string>> => ({ TMPDIR: folder });

const listLeftFolders = async (): Promise<readonly string[]> => (await readdir(folder)).filter((name) => name.startsWith('strata-bench-'));

/** Process ids of the children of a process. */
const listChildren = (pid: number): readonly number[] =>
  execFileSync('ps', ['-eo', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([parent, child]) => (parent === pid && child !== undefined ? [child] : []));

describe('strata bench', () => {
  test('measures a row beside its floor, writes its table into a document, and leaves nothing behind', async () => {
    const document = join(folder, 'performance.md');
    await writeFile(document, `# Speed\n\n${MARKERS}\n\nThe end.\n`);
    const words = ['bench', '--rows', 'floorPg,slice', '--items', '200', '--rounds', '1', '--write', document, '--json'];
    const { code, stdout, stderr } = await runStrata(words, env());
    expect([code, stderr]).toEqual([0, expect.stringContaining('round 1 of 1: slice')]);
    const { machine, rows, ratios, bars, isFull } = JSON.parse(stdout) as BenchReport;
    expect(machine).toMatchObject({ cores: expect.any(Number), node: process.version, commitMs: expect.any(Number) });
    expect(rows.map(({ name, items }) => [name, items])).toEqual([
      ['floorPg', 1_000],
      ['slice', 1_000],
    ]);
    for (const { seconds, itemsPerSecond, cpuSeconds, peakRssMb } of rows) {
      expect(Number(itemsPerSecond) * Number(seconds)).toBeCloseTo(1_000, -1);
      expect(cpuSeconds).toBeGreaterThan(0);
      expect(peakRssMb).toBeGreaterThan(50);
    }
    // The plain loop commits once an item; a slice's own update does, too, and claims and done rows come in batches.
    expect(rows[0]?.commitsPerItem).toBeCloseTo(1, 1);
    expect(rows[1]?.commitsPerItem).toBeGreaterThan(1);
    expect(rows[1]?.commitsPerItem).toBeLessThan(1.5);
    expect(ratios.slice).toBeGreaterThan(0);
    expect([isFull, bars]).toEqual([false, [expect.objectContaining({ what: 'slice, of floorPg', measured: ratios.slice, met: null })]]);
    const written = await readFile(document, 'utf8');
    expect(written).toMatch(/^# Speed\n[\s\S]*\| floorPg \| 1,000 \|[\s\S]*\| slice \| 1,000 \|[\s\S]*\nThe end\.\n$/);
    expect(await listLeftFolders()).toEqual([]);
  });

  test('ends everything when it is interrupted', async () => {
    const bench = startStrata(['bench', '--rows', 'floorPg,slice', '--json'], env());
    let children: readonly number[] = [];
    const hasAll = async (): Promise<boolean> => (children = listChildren(bench.pid)).length >= PARTS.length;
    await waitUntil({ what: `${PARTS.join(', ')} running`, timeoutMs: 100_000, probe: hasAll });
    bench.kill('SIGINT');
    const { code, stdout } = await bench.exited;
    expect([code, JSON.parse(stdout)]).toEqual([1, { error: 'interrupted', exitCode: 1 }]);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await listLeftFolders()).toEqual([]);
  });

  test.each([
    [['--rows', 'slise'], 'unknown row "slise": did you mean slice?'],
    [['--items', 'many'], '--items must be a whole number from 20 to 1000000, not "many"'],
    [['--write', 'nowhere.md'], 'nowhere.md cannot be read'],
  ])('refuses %j before anything starts', async (words, message) => {
    const { code, stderr } = await runStrata(['bench', ...words], env());
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
