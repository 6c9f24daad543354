import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import type { ProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { runStrata } from '../../packages/testing/strata-process.ts';
import { rigEnv } from '../../packages/testing/worker-process.ts';

let rig: Rig;
let runs: ProbeRuns;

beforeAll(async () => {
  rig = await createRig({ isLimited: true });
  runs = createProbeRuns(rig);
});
afterAll(() => rig.close(), 120_000);

const flow = async (...words: readonly string[]) => {
  const { code, stdout, stderr } = await runStrata(['flow', ...words, '--json'], rigEnv(rig));
  return { code, stderr, answer: JSON.parse(stdout) as Record<string, unknown> };
};

describe('strata flow', () => {
  test('lists every key that a pipeline declares, with its limit and who set it', async () => {
    const { code, answer } = await flow('list');
    expect(code).toBe(0);
    expect(answer['keys']).toContainEqual({
      key: 'agentEvalRun.execute',
      limit: { parallelism: 200, ratePerSecond: 5 },
      source: 'contract',
      isPaused: false,
      heldUntil: null,
      permits: 0,
      runs: [],
      isActive: false,
    });
  });

  test('F7: a limit is changed, paused and resumed while a run is in flight; nothing is lost', async () => {
    await runs.seed('live', 150, { sleepMs: 300 });
    const started = await runs.start({ set: 'live', flowKey: 'live', parallelism: 10 });
    const inFlight = async (): Promise<number> => (await runs.ledger('live')).filter(({ state }) => state === 'claimed').length;
    await waitUntil({ what: 'ten items in flight', timeoutMs: 60_000, probe: async () => (await inFlight()) === 10 });
    expect((await flow('get', 'live')).answer).toMatchObject({
      permits: 10,
      source: 'contract',
      isActive: true,
      runs: [{ workflowId: 'probe/live', permits: 10 }],
    });
    expect((await flow('set', 'live', '--parallelism', '2')).answer).toMatchObject({
      limit: { parallelism: 2, ratePerSecond: null },
      source: 'operator',
    });
    await waitUntil({ what: 'two items in flight', timeoutMs: 60_000, probe: async () => (await inFlight()) <= 2 });
    expect((await flow('pause', 'live')).answer).toMatchObject({ isPaused: true });
    await waitUntil({ what: 'no item in flight', timeoutMs: 60_000, probe: async () => (await inFlight()) === 0 });
    const { executions } = await runs.report('live');
    expect((await flow('resume', 'live')).answer).toMatchObject({ isPaused: false });
    expect((await flow('set', 'live', '--parallelism', '20')).answer).toMatchObject({ limit: { parallelism: 20, ratePerSecond: null } });
    expect(await runs.result(started)).toMatchObject({ outcome: 'completed', succeeded: 150 });
    expect(executions).toBeLessThan(150);
    expect((await runs.report('live')).executions).toBe(150);
  });

  test('a key that nobody knows is exit 3, and says where to look', async () => {
    const { code, stderr } = await flow('get', 'nobody.execute');
    expect(code).toBe(3);
    expect(stderr).toContain('strata flow list');
  });

  test.each([
    [['--parallelism', '0'], '--parallelism must be a whole number from 1 to 10000'],
    [['--parallelism', '1.5'], '--parallelism must be a whole number from 1 to 10000'],
    [['--rate', '100000'], '--rate must be a whole number from 1 to 10000'],
    [[], 'say --parallelism or --rate or both'],
    [['--rate', '1', '--unlimited'], 'say --parallelism or --rate or both'],
  ])('F11: set %j is refused: %s', async (words, message) => {
    const { code, stderr } = await flow('set', 'probe.execute', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
