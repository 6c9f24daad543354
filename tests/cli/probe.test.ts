import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { withBriefRetries } from '../../packages/testing/stage.ts';
import { createCli } from './cli.ts';
import type { Cli } from './cli.ts';

let rig: Rig;
let cli: Cli;

beforeAll(async () => {
  rig = await createRig({ activities: withBriefRetries });
  cli = createCli(rig);
});

afterAll(() => rig.close());

test('R1, R2: seed, run, report; a redrive executes exactly the failed items, a second one finds none', async () => {
  const seeded = await cli.json('probe', 'seed', '--set', 'p', '--items', '12', '--sleep', '5', '--fail-every', '6', '--fail-times', '6');
  expect(seeded).toMatchObject({ code: 0, answer: { set: 'p', items: 12, sleepMs: 5, failEvery: 6, failTimes: 6 } });
  const first = await cli.json('run', 'probe', '--input', '{"set":"p"}', '--wait');
  expect(first).toMatchObject({ code: 1, answer: { outcome: 'completedWithFailures', succeeded: 10, failed: 2 } });
  const report = await cli.json('probe', 'report', '--set', 'p');
  expect(report).toMatchObject({ code: 0, answer: { items: 12, done: 10, failed: 2, executions: 20, duplicates: 0 } });
  expect(report.answer['maxOverlap']).toBeGreaterThan(0);

  const dry = await cli.json('redrive', 'probe/p', '--dry-run');
  expect(dry).toMatchObject({ code: 0, answer: { outcome: 'dryRun', message: '[DryRun] Would process 2 items' } });
  await rig.pool.query("update probe_items set fail_times = 0 where probe_set = 'p'");
  const again = await cli.json('redrive', 'probe/p', '--wait');
  expect(again).toMatchObject({ code: 0, answer: { workflowId: 'probe/p', outcome: 'completed', toProcess: 2, succeeded: 2 } });
  expect((await cli.json('failures', 'probe/p')).answer).toMatchObject({ failed: 0, failures: [] });
  const none = await cli.json('redrive', 'probe/p', '--wait');
  expect(none, 'R3').toMatchObject({ code: 0, answer: { outcome: 'nothingToDo', message: 'No failed items to redrive' } });
  expect((await cli.json('probe', 'report', '--set', 'p')).answer).toMatchObject({ done: 12, failed: 0, executions: 22, duplicates: 0 });
});

test('numbers are read strictly, and an unknown set is exit 3', async () => {
  const refusals: [string[], RegExp][] = [
    [['--items', '1.5'], /--items must be a whole number from 0 to/],
    [['--items', '-1'], /--items must be/],
    [['--items', '1e3'], /--items must be/],
    [['--items', '1', '--sleep', 'long'], /--sleep must be/],
    [['--items', '1', '--fail-every', '0'], /--fail-every must be/],
    [['--items', '1', '--fail-times', '2'], /--fail-times needs --fail-every/],
    [[], /items/],
  ];
  for (const [words, reason] of refusals) {
    const { code, stderr } = await cli.say('probe', 'seed', '--set', 'q', ...words);
    expect(stderr).toMatch(reason);
    expect(code).toBe(2);
  }
  expect((await cli.json('probe', 'report', '--set', 'q')).code).toBe(3);
});
