import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProcess } from './child-process.ts';
import { isAlive } from './process-identity.ts';
import { supervise } from './supervisor.ts';
import type { Part, Supervised } from './supervisor.ts';
import { waitUntil } from './wait-until.ts';

let folder = '';
let supervised: Supervised | undefined;
const pids: number[] = [];
const deaths: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strata-supervisor-'));
  pids.length = 0;
  deaths.length = 0;
});
afterEach(async () => {
  await supervised?.stop();
  supervised = undefined;
  await rm(folder, { recursive: true, force: true });
});

const events = {
  onStarted: async (_part: Part, pid: number) => void pids.push(pid),
  onDied: (_part: Part, how: string) => void deaths.push(how),
};

function sleeper(script: string): Part {
  const start: Part['start'] = async () => {
    const started = await startProcess({ command: process.execPath, args: ['-e', script], env: {}, logFile: join(folder, 'log') });
    return { process: started, stop: () => started.stop({ signal: 'SIGTERM', graceMs: 500 }) };
  };
  return { name: 'sleeper', words: ['-e'], start };
}

test('a part that is killed is started again', async () => {
  supervised = await supervise(sleeper('setInterval(() => {}, 1000)'), events);
  process.kill(pids[0]!, 'SIGKILL');
  await waitUntil({ what: 'a second start', timeoutMs: 10_000, probe: async () => pids.length === 2 });
  expect(deaths).toEqual(['signal SIGKILL']);
  expect(isAlive(pids[1]!)).toBe(true);
});

test('a part that is stopped stays down', async () => {
  const stopped = await supervise(sleeper('setInterval(() => {}, 1000)'), events);
  await stopped.stop();
  expect(pids.map(isAlive)).toEqual([false]);
  expect(deaths).toEqual([]);
});

test('a part that ignores the signal is killed after its grace', async () => {
  const stubborn = await supervise(sleeper("process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)"), events);
  const since = performance.now();
  await stubborn.stop();
  expect(performance.now() - since).toBeLessThan(5_000);
  expect(pids.map(isAlive)).toEqual([false]);
});

test('stopping during the wait before a restart starts nothing more', async () => {
  const dying = await supervise(sleeper('process.exit(7)'), events);
  await waitUntil({ what: 'a death', timeoutMs: 10_000, probe: async () => deaths.length > 0 });
  await dying.stop();
  const started = pids.length;
  expect(deaths[0]).toBe('exit code 7');
  expect(pids.map(isAlive)).toEqual(Array.from({ length: started }, () => false));
});
