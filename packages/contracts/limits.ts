import type { FlowKey, FlowLimit } from './flow-limits.ts';
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

/** A layer's limit as a limiter keeps it, or null where it is unlimited. */
export const toFlowLimit = (limit: LayerLimit): FlowLimit | null =>
  limit === 'unlimited' ? null : { parallelism: 'parallelism' in limit ? limit.parallelism : null, ratePerSecond: limit.ratePerSecond ?? null };

/** Key of a layer's limit; null: unlimited. */
export const flowKeyOf = (type: string, layer: keyof LayerLimits, limits: LayerLimits): FlowKey | null => {
  const limit = toFlowLimit(limits[layer]);
  return limit === null ? null : { key: `${type}.${layer}`, limit };
};

/** Why an operator's limit cannot be used, or undefined: `{parallelism?, ratePerSecond?}`, integers 1..10,000, at least one. */
export const findFlowLimitProblem = (given: unknown): string | undefined => {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return 'expected {"parallelism": 10, "ratePerSecond": 5}, at least one of the two';
  const entries = Object.entries(given);
  const unknown = entries.find(([name]) => name !== 'parallelism' && name !== 'ratePerSecond');
  if (unknown !== undefined) return `unknown key ${unknown[0]}: known are parallelism and ratePerSecond`;
  if (entries.length === 0) return 'parallelism or ratePerSecond is needed';
  const wrong = entries.find(([, value]) => !isInteger(value as number, 1, 10_000));
  return wrong === undefined ? undefined : `${wrong[0]} must be an integer from 1 to 10,000`;
};
