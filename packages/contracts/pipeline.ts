import { findPlanProblem, findRatioProblem } from './run-plan.ts';
import { findLimitProblem } from './limits.ts';
import type { RetryPlan, RunPlan } from './run-plan.ts';
import type { LayerLimits } from './limits.ts';
import type { Controls, FieldSpecs } from './fields.ts';

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

const MAX_CHUNKS_OF_DEFINITION = 100;

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
  const problem = findPlanProblem(contract.plan) ?? findRatioProblem(contract.plan, MAX_CHUNKS_OF_DEFINITION) ?? findLimitProblem(contract.limits);
  if (problem !== undefined) throw new RangeError(`${contract.entity}: ${problem}`);
  return Object.freeze(contract);
};
