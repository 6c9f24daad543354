import type { BenchContext } from './context.ts';
import { seedFloorItems } from './floor-items.ts';
import { runFloor } from './rate-rows.ts';
import { computePercentile, roundTo } from './statistics.ts';
import { freshName } from './trial.ts';

const IDLE_MS = 3_000;

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
};

/** One workflow, one activity after another: as many a second as one scope could handle at most. */
export const measureSequentialFloor = async (context: BenchContext, events: number): Promise<number> => {
  const itemIds = await seedFloorItems(context.stack.pool, events);
  return roundTo(events / (await secondsOf(() => runFloor(context, 'floorLanes', { itemIds, lanes: 1, sleepMs: 0 }))), 1);
};

/** So many of them at once. */
export const measureScopesFloor = async (
  context: BenchContext,
  { scopes, each }: { readonly scopes: number; readonly each: number },
): Promise<number> => {
  const itemIds = await seedFloorItems(context.stack.pool, scopes * each);
  const chunks = Array.from({ length: scopes }, (_, index) => itemIds.slice(index * each, (index + 1) * each));
  const seconds = await secondsOf(() =>
    Promise.all(chunks.map((chunk) => runFloor(context, 'floorLanes', { itemIds: chunk, lanes: 1, sleepMs: 0 }))),
  );
  return roundTo((scopes * each) / seconds, 1);
};

const signalRaw = ({ stack }: BenchContext, workflowId: string) =>
  stack.client.workflow.signalWithStart('floorScope', { workflowId, taskQueue: stack.floorQueue, args: [IDLE_MS], signal: 'wake' });

/** Raw signalWithStart over so many workflows, a second. */
export const measureAcceptedFloor = async (
  context: BenchContext,
  { scopes, each, lanes }: { readonly scopes: number; readonly each: number; readonly lanes: number },
): Promise<number> => {
  const name = freshName('floor-scope');
  const waiting = Array.from({ length: scopes * each }, (_, index) => `${name}/${index % scopes}`).values();
  const lane = async (): Promise<void> => {
    for (const workflowId of waiting) await signalRaw(context, workflowId);
  };
  const seconds = await secondsOf(() => Promise.all(Array.from({ length: lanes }, lane)));
  return roundTo((scopes * each) / seconds, 1);
};

/** A bare insert and a signalWithStart, one pair at a time: 95 of 100 take no longer, ms. */
export const measureQuietFloor = async (context: BenchContext, times: number): Promise<number> => {
  const { pool } = context.stack;
  await pool.query('drop table if exists floor_events');
  await pool.query(
    'create table floor_events (id bigint generated always as identity primary key, scope text, source_id text, payload jsonb, unique (scope, source_id))',
  );
  const workflowId = freshName('floor-quiet');
  const taken: number[] = [];
  for (let time = 0; time <= times; time++) {
    const ms =
      1_000 *
      (await secondsOf(async () => {
        await pool.query('insert into floor_events (scope, source_id, payload) values ($1, $2, $3)', [workflowId, `e${time}`, '{}']);
        await signalRaw(context, workflowId);
      }));
    if (time > 0) taken.push(ms);
  }
  return roundTo(computePercentile(taken, 0.95), 1);
};
