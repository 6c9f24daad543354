import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import { measure } from '../measure.ts';
import type { Measured } from '../measure.ts';
import type { TrialOutcome } from '../row.ts';
import { prepareTrial } from '../trial.ts';

const INPUT = { dispatch: 'slice', pageSize: 2_500, chunkSize: 250 };

const runFresh = (context: BenchContext, items: number): Promise<Measured> =>
  withWorkers(context, 1, async ([worker]) => {
    const trial = await prepareTrial(context, { label: 'memory', items, input: INPUT });
    const measured = await measure(context.stack, { items, pids: [worker?.pid ?? 0] }, trial.run);
    await trial.check();
    return measured;
  });

/** Peak memory of a fresh worker over ten times the items, beside that over one. */
export const measureMemory = async (context: BenchContext): Promise<TrialOutcome<'memory'>> => {
  const { memorySmall, memoryLarge } = context.sizes;
  const small = await runFresh(context, memorySmall);
  const large = await runFresh(context, memoryLarge);
  return {
    ...large,
    figures: { smallItems: memorySmall, smallPeakRssMb: small.peakRssMb, largeItems: memoryLarge, largePeakRssMb: large.peakRssMb },
  };
};
