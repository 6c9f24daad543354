import { afterAll, beforeAll, expect, test } from 'vitest';
import { listSchedules } from '../../packages/runtime/pipeline-schedules.ts';
import type { ScheduleEntry } from '../../packages/runtime/pipeline-schedules.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createCli } from './cli.ts';
import type { Cli } from './cli.ts';
import { seedSet } from './ledger.ts';

let rig: Rig;
let cli: Cli;

beforeAll(async () => {
  rig = await createRig();
  cli = createCli(rig);
});

afterAll(() => rig.close());

const find = async (name: string): Promise<ScheduleEntry | undefined> => (await listSchedules(rig.client)).find((schedule) => schedule.name === name);

test('a schedule is made paused, listed, resumed, starts runs, is paused and deleted', async () => {
  const name = `${rig.taskQueue}-tick`;
  await seedSet(rig, 'tick', { items: 3 });
  const made = await cli.json('schedule', 'create', name, '--pipeline', 'probe', '--input', '{"set":"tick"}', '--every', '1s', '--paused');
  expect(made.code, made.stderr).toBe(0);
  expect(made.answer).toEqual({ name, pipeline: 'probe', input: { set: 'tick' }, everyMs: 1_000, paused: true });
  await waitUntil({ what: 'the schedule in the list', timeoutMs: 20_000, probe: async () => (await find(name))?.paused === true });
  expect((await cli.json('schedule', 'list')).answer['schedules']).toEqual(
    expect.arrayContaining([expect.objectContaining({ name, pipeline: 'probe', paused: true })]),
  );
  const twice = await cli.json('schedule', 'create', name, '--pipeline', 'probe', '--input', '{"set":"tick"}', '--every', '1s');
  expect(twice.stderr).toContain('exists already');
  expect(twice.code).toBe(2);

  expect((await cli.json('schedule', 'resume', name)).code).toBe(0);
  await waitUntil({
    what: 'a run that the schedule started',
    timeoutMs: 60_000,
    everyMs: 300,
    probe: async () =>
      (await rig.pool.query("select 1 from pipeline_runs where scope = 'tick' and outcome = 'completed' and workflow_id like 'probe/tick-%'")).rows
        .length === 1,
  });
  expect((await cli.json('schedule', 'pause', name)).code).toBe(0);
  expect((await cli.json('schedule', 'delete', name)).code).toBe(0);
  expect((await cli.json('schedule', 'pause', name)).code).toBe(3);
}, 300_000);

test('what a run would refuse is refused before a schedule is made', async () => {
  const create = (...words: string[]) => cli.say('schedule', 'create', `${rig.taskQueue}-bad`, '--pipeline', 'probe', ...words);
  const refusals: [string[], RegExp][] = [
    [['--input', '{"set":"s","pagesize":10}', '--every', '1h'], /unknown key pagesize, did you mean pageSize\?/],
    [['--input', '{"set":"s"}'], /either --every like 1h, or --cron/],
    [['--input', '{"set":"s"}', '--every', '1h', '--cron', '0 * * * *'], /either --every/],
    [['--input', '{"set":"s"}', '--every', 'hourly'], /--every must be a span like 30s, 15m, 1h or 2d, not "hourly"/],
    [['--input', '{"set":"s"}', '--cron', 'now and then'], /was refused: /],
  ];
  for (const [words, reason] of refusals) {
    const { code, stderr } = await create(...words);
    expect(stderr).toMatch(reason);
    expect(code).toBe(2);
  }
  expect(await find(`${rig.taskQueue}-bad`)).toBeUndefined();
});
