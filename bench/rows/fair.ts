import { waitUntil } from '../../packages/runtime/wait-until.ts';
import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import type { Dispatch } from '../figures.ts';
import { countSucceeded } from '../executions.ts';
import { findLimitFault } from '../limiter.ts';
import type { TrialOutcome } from '../row.ts';
import { computeMedian, roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';

const CAP = 10;
const SLEEP_MS = 50;
const TIMES = 3;
const CROWD_STARTS_WITHIN_MS = 60_000;

const runSmall = async (context: BenchContext, dispatch: Dispatch, flowKey: string): Promise<number> => {
  const input = { dispatch, parallelism: CAP, flowKey };
  const trial = await prepareTrial(context, { label: 'few', items: context.sizes.smallJob, sleepMs: SLEEP_MS, input });
  const seconds = await trial.run();
  await trial.check();
  return roundTo(seconds * 1_000, 1);
};

const runSmalls = async (context: BenchContext, dispatch: Dispatch, flowKey: string): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) times.push(await runSmall(context, dispatch, flowKey));
  return times;
};

const runBesideCrowd = async (context: BenchContext, dispatch: Dispatch) => {
  const { stack, sizes, signal } = context;
  const flowKey = freshName(`bench-fair-${dispatch}`);
  await runSmall(context, dispatch, flowKey);
  const alone = await runSmalls(context, dispatch, flowKey);
  const input = { dispatch, parallelism: CAP, flowKey };
  const crowd = await prepareTrial(context, { label: 'crowd', items: sizes.crowd, sleepMs: SLEEP_MS, input });
  const started = await crowd.start();
  const isUnderWay = async (): Promise<boolean> => (await countSucceeded(stack.pool, crowd.set)) >= CAP * 2;
  await waitUntil({ what: 'the crowd being under way', timeoutMs: CROWD_STARTS_WITHIN_MS, signal, probe: isUnderWay });
  const beside = await runSmalls(context, dispatch, flowKey);
  await crowd.finish(started);
  await crowd.check();
  return {
    alone: computeMedian(alone),
    beside: computeMedian(beside),
    longest: Math.max(...beside),
    problem: await findLimitFault(stack.client, flowKey),
  };
};

/** A run of 20 items beside one of 5,000 on the same key with a cap of 10: how much longer it takes than alone. */
export const measureFair = (context: BenchContext): Promise<TrialOutcome<'fair'>> =>
  withWorkers(context, 1, async () => {
    const slice = await runBesideCrowd(context, 'slice');
    const item = await runBesideCrowd(context, 'item');
    const problem = slice.problem ?? item.problem;
    return {
      items: context.sizes.crowd,
      ...(problem === undefined ? {} : { problem }),
      figures: {
        sliceAloneMs: slice.alone,
        sliceBesideMs: slice.beside,
        sliceLongestBesideMs: slice.longest,
        itemAloneMs: item.alone,
        itemBesideMs: item.beside,
        itemLongestBesideMs: item.longest,
      },
    };
  });
