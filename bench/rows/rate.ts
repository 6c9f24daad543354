import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import { DISPATCHES } from '../figures.ts';
import type { Dispatch } from '../figures.ts';
import { findLimitFault } from '../limiter.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';

const CAP = 10;
const RATE = 100;
const SLEEP_MS = 50;

const runPaced = async (context: BenchContext, dispatch: Dispatch, flowKey: string) => {
  const input = { dispatch, parallelism: CAP, ratePerSecond: RATE, flowKey };
  const trial = await prepareTrial(context, { label: 'rate', items: context.sizes.capped, sleepMs: SLEEP_MS, input });
  const seconds = await trial.run();
  await trial.check();
  const { maxStartsPerSecond } = await trial.report();
  return { seconds: roundTo(seconds, 3), starts: maxStartsPerSecond };
};

/** A rate of 100 starts a second on top of a cap of 10, over two worker processes: at first, and again when the key has been idle. */
export const measureRate = (context: BenchContext): Promise<TrialOutcome<'rate'>> =>
  withWorkers(context, 2, async () => {
    const items = context.sizes.capped;
    const keys = { item: freshName('bench-rate-item'), slice: freshName('bench-rate-slice') };
    const first = { slice: await runPaced(context, 'slice', keys.slice), item: await runPaced(context, 'item', keys.item) };
    context.say(`leaving the keys idle for ${context.sizes.idleSeconds} s`);
    await delay(context.sizes.idleSeconds * 1_000, undefined, { signal: context.signal });
    const again = { slice: await runPaced(context, 'slice', keys.slice), item: await runPaced(context, 'item', keys.item) };
    const faults = await Promise.all(DISPATCHES.map((dispatch) => findLimitFault(context.stack.client, keys[dispatch])));
    const problem = faults.find((fault) => fault !== undefined);
    return {
      items,
      seconds: first.slice.seconds,
      itemsPerSecond: roundTo(items / first.slice.seconds, 1),
      ...(problem === undefined ? {} : { problem }),
      figures: {
        idealSeconds: items / RATE,
        sliceSeconds: first.slice.seconds,
        sliceMaxStarts: first.slice.starts,
        sliceAfterIdleSeconds: again.slice.seconds,
        sliceAfterIdleMaxStarts: again.slice.starts,
        itemSeconds: first.item.seconds,
        itemMaxStarts: first.item.starts,
        itemAfterIdleSeconds: again.item.seconds,
        itemAfterIdleMaxStarts: again.item.starts,
      },
    };
  });
