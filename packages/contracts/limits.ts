import { isInteger } from './integers.ts';

/** Limit of one layer: items in flight and starts per second, each 1..10,000, at least one; `'unlimited'` sends no message. */
export type LayerLimit = { readonly parallelism: number; readonly ratePerSecond?: number } | { readonly ratePerSecond: number } | 'unlimited';

export interface LayerLimits {
  readonly process: LayerLimit;
  readonly paginate: LayerLimit;
  readonly execute: LayerLimit;
}

/** First reason why a limit is out of bounds, or undefined (each number an integer 1..10,000, at least one given). */
export const findLimitProblem = (limits: LayerLimits): string | undefined => {
  for (const [layer, limit] of Object.entries(limits) as [keyof LayerLimits, LayerLimit][]) {
    if (limit === 'unlimited') continue;
    const given = Object.entries(limit);
    if (given.length === 0) return `limits.${layer} needs parallelism, ratePerSecond or 'unlimited'`;
    const wrong = given.find(([, value]) => !isInteger(value as number, 1, 10_000));
    if (wrong !== undefined) return `limits.${layer}.${wrong[0]} must be an integer from 1 to 10,000`;
  }
  return undefined;
};
