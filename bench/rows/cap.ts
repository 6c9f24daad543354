import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import type { Dispatch } from '../figures.ts';
import { checkFloorItems, seedFloorItems } from '../floor-items.ts';
import { findLimitFault } from '../limiter.ts';
import { runFloor } from '../rate-rows.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';

const CAP = 10;
const SLEEP_MS = 50;

/** The raw SDK: one workflow with as many lanes as the cap, over two worker processes. */
const runCapFloor = async (context: BenchContext, items: number): Promise<number> => {
  const { stack } = context;
  const workers = [stack.spawnFloorWorker(), stack.spawnFloorWorker()];
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    await runFloor(context, 'floorLanes', { itemIds: await seedFloorItems(stack.pool, 50), lanes: CAP, sleepMs: 0 });
    const itemIds = await seedFloorItems(stack.pool, items);
    const startedAt = performance.now();
    await runFloor(context, 'floorLanes', { itemIds, lanes: CAP, sleepMs: SLEEP_MS });
    const seconds = (performance.now() - startedAt) / 1_000;
    await checkFloorItems(stack.pool);
    return roundTo(seconds, 3);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
};

const runCapped = async (context: BenchContext, dispatch: Dispatch, items: number) => {
  const flowKey = freshName(`bench-cap-${dispatch}`);
  const trial = await prepareTrial(context, { label: 'cap', items, sleepMs: SLEEP_MS, input: { dispatch, parallelism: CAP, flowKey } });
  const seconds = await trial.run();
  await trial.check();
  const { maxOverlap } = await trial.report();
  return { seconds: roundTo(seconds, 3), maxOverlap, problem: await findLimitFault(context.stack.client, flowKey) };
};

/** A cap of 10 over two worker processes, items of 50 ms: how many really ran at once, and how long it took. */
export const measureCap = async (context: BenchContext): Promise<TrialOutcome<'cap'>> => {
  const items = context.sizes.capped;
  const floorSeconds = await runCapFloor(context, items);
  return withWorkers(context, 2, async () => {
    for (const dispatch of ['item', 'slice'] as const) await runCapped(context, dispatch, 50);
    const slice = await runCapped(context, 'slice', items);
    const item = await runCapped(context, 'item', items);
    const problem = slice.problem ?? item.problem;
    return {
      items,
      seconds: slice.seconds,
      itemsPerSecond: roundTo(items / slice.seconds, 1),
      ...(problem === undefined ? {} : { problem }),
      figures: {
        idealSeconds: (items * SLEEP_MS) / CAP / 1_000,
        floorSeconds,
        sliceSeconds: slice.seconds,
        sliceMaxOverlap: slice.maxOverlap,
        itemSeconds: item.seconds,
        itemMaxOverlap: item.maxOverlap,
      },
    };
  });
};
