import { metricMeter } from '@temporalio/workflow';
import { pipelineContracts } from '../contracts/index.ts';
import { flowKeyOf } from '../contracts/limits.ts';
import { LIMITER_METRICS } from '../contracts/metrics.ts';
import type { LimiterStep } from '../flow-control/limiter.ts';
import { isSameOwner } from '../flow-control/limiter-state.ts';
import type { LimiterState } from '../flow-control/limiter-state.ts';

const DECLARED = pipelineContracts.flatMap(({ type, limits }) =>
  (['process', 'paginate', 'execute'] as const).flatMap((layer) => flowKeyOf(type, layer, limits)?.key ?? []),
);

/** The label of a flow key: itself where a contract declares it, with or without a prefix; `other` for keys made at run time, of which there may be any number. */
const labelOf = (key: string): string => (DECLARED.some((declared) => key.endsWith(declared)) ? key : 'other');

const countPermits = (before: LimiterState, { state: { leases } }: LimiterStep): number =>
  leases.reduce((sum, { owner, granted, returned }) => {
    const old = before.leases.find((lease) => isSameOwner(lease.owner, owner));
    // A run that is new to the limiter may hold what a limiter before this one granted.
    return sum + granted - (old?.granted ?? returned);
  }, 0);

/** Counts what one step of a limiter granted; a replay counts nothing. */
export const recordGrants = (before: LimiterState, step: LimiterStep): void => {
  const counts = {
    [LIMITER_METRICS.grants]: countPermits(before, step),
    [LIMITER_METRICS.starts]: step.sent.flatMap(({ grant }) => grant.starts).length,
  };
  for (const [name, count] of Object.entries(counts)) if (count > 0) metricMeter.createCounter(name).add(count, { key: labelOf(before.key) });
};
