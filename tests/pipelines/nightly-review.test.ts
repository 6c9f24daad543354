import { afterEach, beforeEach, expect, test } from 'vitest';
import { nightlyReviewContract } from '../../packages/contracts/nightly-review.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { writeFlag } from '../../packages/database/agents.ts';
import { readRows } from '../../packages/database/database.ts';
import { sql } from '../../packages/database/drizzle.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { ensureNightlySchedule } from '../../packages/runtime/signal-schedules.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';

let rig: Rig;
let pipelines: PipelineClient;
let users: readonly [string, string];

beforeEach(async () => {
  rig = await createRig({ signalLimits: { ...SIGNAL_LIMITS, idleMs: 1_000 } });
  pipelines = createPipelineClient(rig);
  users = [`${rig.taskQueue}-u1`, `${rig.taskQueue}-u2`];
  for (const user of users) {
    await rig.pool.query(`insert into user_profiles values ($1, 'Asia/Shanghai')`, [user]);
    await rig.pool.query(
      `insert into chat_messages (id, user_id, agent_id, topic_id, role, content, created_at) values ($1, $2, 'a1', 't1', 'user', 'hi', '2026-05-03T10:00:00Z')`,
      [`${user}-m1`, user],
    );
  }
});
afterEach(() => rig.close());

const run = async (scheduledAt: string, more: object = {}) =>
  pipelines.result(await pipelines.start(nightlyReviewContract, { scheduledAt, ...more }));
const requests = () =>
  readRows<{ id: string; at: string }>(
    rig.db,
    sql`select source_id as id, payload->>'requestedAt' as at from signal_events where source_type = 'agent.nightly_review.requested' order by source_id`,
  );
const reviewState = async () => (await readRows<{ state: string }>(rig.db, sql`select state from signal_reviews`))[0]?.state;

test('R1, R4: users whose night it is are asked about at the nominal time; one that is switched off is not listed, and a dry run writes nothing', async () => {
  const [on, off] = users;
  await writeFlag(rig.db, { userId: off, flag: 'enableAgentSelfIteration', isOn: false });
  expect(await run('2026-05-03T18:30:00.000Z', { dryRun: true })).toMatchObject({ outcome: 'dryRun', totalEligible: 1 });
  expect(await requests()).toEqual([]);
  expect(await run('2026-05-03T18:30:00.000Z')).toMatchObject({ outcome: 'completed', succeeded: 1 });
  expect(await requests()).toEqual([{ id: `nightly-review:${on}:a1:2026-05-03`, at: '2026-05-03T18:30:00.000Z' }]);
  expect(await run('2026-05-03T20:30:00.000Z')).toMatchObject({ skipped: 1 });
});

test('R3: the firing of the next hour repeats nothing that is under way or done, but what has failed', async () => {
  await writeFlag(rig.db, { userId: users[1], flag: 'enableAgentSelfIteration', isOn: false });
  await run('2026-05-03T18:00:00.000Z');
  await waitUntil({ what: 'the review done', timeoutMs: 20_000, probe: async () => (await reviewState()) === 'done' });
  await run('2026-05-03T19:00:00.000Z');
  const results = () =>
    readRows<{ dispatched: number; deduped: number }>(
      rig.db,
      sql`select (result->>'dispatched')::int as dispatched, (result->>'deduped')::int as deduped from pipeline_items order by id`,
    );
  expect(await results()).toEqual([
    { dispatched: 1, deduped: 0 },
    { dispatched: 0, deduped: 1 },
  ]);
  await rig.pool.query(`update signal_reviews set state = 'open'`);
  await rig.pool.query(`update signal_actions set state = 'failed'`);
  await run('2026-05-03T19:30:00.000Z');
  expect((await results()).at(-1)).toEqual({ dispatched: 1, deduped: 0 });
  await waitUntil({ what: 'the review done again', timeoutMs: 20_000, probe: async () => (await reviewState()) === 'done' });
});

test('a Schedule starts it with its own nominal time', async () => {
  await ensureNightlySchedule(rig.client, { taskQueue: rig.taskQueue });
  const schedule = rig.client.schedule.getHandle(`agent-signal-nightly/${rig.taskQueue}`);
  const ofSchedule = `WorkflowType = 'nightlyReview' and TemporalScheduledById = 'agent-signal-nightly/${rig.taskQueue}'`;
  await schedule.trigger();
  await waitUntil({
    what: 'a run',
    timeoutMs: 20_000,
    probe: async () => (await rig.client.workflow.count(`${ofSchedule} and ExecutionStatus = 'Completed'`)).count > 0,
  });
  expect((await rig.client.workflow.count(ofSchedule)).count).toBe(1);
  await schedule.delete();
});
