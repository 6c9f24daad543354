import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import { readChain } from '../histories.ts';
import type { TrialOutcome } from '../row.ts';
import { computeMedian, roundTo } from '../statistics.ts';
import { prepareTrial } from '../trial.ts';
import type { Trial } from '../trial.ts';

const TIMES = 5;

/** Activities of a run's own workflow besides those that execute items. */
const countActivitiesAround = async ({ stack }: BenchContext, { workflowId }: Trial): Promise<number> => {
  const events = await readChain(stack.client, workflowId);
  const names = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? []);
  return names.filter((name) => !name.endsWith('.executeItem')).length;
};

/** A job of 20 items from its start to its result, the median of five. */
export const measureSmallJob = (context: BenchContext): Promise<TrialOutcome<'smallJob'>> =>
  withWorkers(context, 1, async ([worker]) => {
    const items = context.sizes.smallJob;
    const times: number[] = [];
    let activitiesAround = 0;
    for (let time = 0; time <= TIMES; time++) {
      const trial = await prepareTrial(context, { label: 'small', items });
      const ms = (await trial.run()) * 1_000;
      await trial.check();
      activitiesAround = await countActivitiesAround(context, trial);
      // The first one warms up.
      if (time > 0) times.push(roundTo(ms, 1));
    }
    const medianMs = computeMedian(times);
    const usage = await worker?.usage();
    return {
      items,
      seconds: roundTo(medianMs / 1_000, 3),
      peakRssMb: usage?.peakRssMb ?? null,
      figures: { medianMs, longestMs: Math.max(...times), activitiesAround },
    };
  });
