import type { Controls, FieldSpecs } from './fields.ts';

/** Limit of one layer: items in flight and starts per second, each 1..10,000, at least one; `'unlimited'` sends no message. */
export type LayerLimit = { readonly parallelism: number; readonly ratePerSecond?: number } | { readonly ratePerSecond: number } | 'unlimited';

export interface LayerLimits {
  readonly process: LayerLimit;
  readonly paginate: LayerLimit;
  readonly execute: LayerLimit;
}

/** Waits between the attempts of one item: attempt n waits `firstWaitMs × 2^(n−1)` or `× n`, plus 0–20 %. */
export interface RetryPlan {
  readonly attempts: number;
  readonly firstWaitMs: number;
  readonly growth: 'exponential' | 'linear';
}

/** Everything the workflow needs to know of how a run is cut up and bounded; computed by preflight, carried, never recomputed. */
export interface RunPlan {
  readonly dispatch: 'item' | 'slice';
  readonly pageSize: number;
  readonly chunkSize: number;
  readonly chunksInFlight: number;
  readonly pagesAhead: number;
  readonly maxConcurrency: number;
  readonly itemTimeoutMs: number;
  readonly heartbeatTimeoutMs: number;
  readonly eventBudget: number;
}

export interface PipelineTexts {
  readonly noun: string;
  readonly verb: string;
  readonly verbPast: string;
  readonly noEligible: string;
  readonly allProcessed: string;
}

/** A pipeline's contract: what it is called, how it is identified, how hard it may push. Plain data. */
export interface PipelineContract<F extends FieldSpecs = FieldSpecs> {
  readonly type: string;
  readonly entity: string;
  readonly description: string;
  readonly fields: F;
  readonly scopeField: string | null;
  readonly texts: PipelineTexts;
  readonly limits: LayerLimits;
  readonly plan: RunPlan;
  readonly retry: RetryPlan;
  readonly maxConcurrencyLimit: number;
  readonly retryFailed: 'nextRun' | 'redrive';
  readonly forceOpensEpoch: boolean;
  readonly outageWaitsMs: { readonly first: number; readonly max: number };
  readonly smokeInput: Readonly<Record<string, unknown>>;
}

type NoControlName<F> = { readonly [K in keyof F]: K extends keyof Controls ? never : F[K] };

type Defaulted = 'texts' | 'limits' | 'plan' | 'retry' | 'maxConcurrencyLimit' | 'retryFailed' | 'forceOpensEpoch' | 'outageWaitsMs';

export type PipelineDeclaration<F extends FieldSpecs> = Omit<PipelineContract<F>, Defaulted | 'fields' | 'scopeField'> &
  Partial<Omit<Pick<PipelineContract<F>, Defaulted>, 'plan' | 'texts' | 'limits'>> & {
    readonly fields: F & NoControlName<F>;
    readonly scopeField: (keyof F & string) | null;
    readonly plan?: Partial<RunPlan>;
    readonly texts?: Partial<PipelineTexts>;
    readonly limits?: Partial<LayerLimits>;
  };

const DEFAULT_TEXTS: PipelineTexts = {
  noun: 'items',
  verb: 'process',
  verbPast: 'processed',
  noEligible: 'No eligible items found',
  allProcessed: 'All items already processed',
};

const DEFAULT_LIMITS: LayerLimits = {
  process: { parallelism: 1, ratePerSecond: 1 },
  paginate: { parallelism: 20, ratePerSecond: 5 },
  execute: { parallelism: 10, ratePerSecond: 5 },
};

const DEFAULT_PLAN: RunPlan = {
  dispatch: 'item',
  pageSize: 50,
  chunkSize: 20,
  chunksInFlight: 8,
  pagesAhead: 2,
  maxConcurrency: 100,
  itemTimeoutMs: 60_000,
  heartbeatTimeoutMs: 10_000,
  eventBudget: 3_000,
};

/** Declares a pipeline with the house's defaults; throws `RangeError` when a page could need more than 100 chunks or a limit is out of bounds. */
export const definePipeline = <const F extends FieldSpecs>(declared: PipelineDeclaration<F>): PipelineContract<F> => {
  const contract: PipelineContract<F> = {
    retryFailed: 'nextRun',
    forceOpensEpoch: true,
    maxConcurrencyLimit: 100,
    retry: { attempts: 5, firstWaitMs: 2_000, growth: 'exponential' },
    outageWaitsMs: { first: 1_000, max: 30_000 },
    ...declared,
    fields: declared.fields as F,
    texts: { ...DEFAULT_TEXTS, ...declared.texts },
    limits: { ...DEFAULT_LIMITS, ...declared.limits },
    plan: { ...DEFAULT_PLAN, ...declared.plan },
  };
  const problem = findPlanProblem(contract.plan) ?? findLimitProblem(contract.limits);
  if (problem !== undefined) throw new RangeError(`${contract.entity}: ${problem}`);
  return Object.freeze(contract);
};

const isInteger = (value: number, min: number, max: number): boolean => Number.isInteger(value) && value >= min && value <= max;

/** First reason why a plan is out of bounds, or undefined. Bounds: page 1..5,000, chunk 1..500, page ≤ 100 × chunk, window ≤ 100. */
export const findPlanProblem = (plan: RunPlan): string | undefined => {
  if (!isInteger(plan.pageSize, 1, 5_000)) return `pageSize must be an integer from 1 to 5,000, not ${plan.pageSize}`;
  if (!isInteger(plan.chunkSize, 1, 500)) return `chunkSize must be an integer from 1 to 500, not ${plan.chunkSize}`;
  if (plan.pageSize > 100 * plan.chunkSize) return `pageSize ${plan.pageSize} is more than 100 chunks of ${plan.chunkSize}`;
  if (!isInteger(plan.chunksInFlight, 1, 100)) return 'chunksInFlight must be an integer from 1 to 100';
  if (!isInteger(plan.maxConcurrency, 1, 100)) return 'maxConcurrency must be an integer from 1 to 100';
  return undefined;
};

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
