import { isInteger } from './integers.ts';

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

const MAX_CHUNKS_OF_RUN = 250;
const MAX_EVENT_BUDGET = 10_000;

/**
 * First reason why a run's plan is out of bounds, or undefined. Bounds: page 1..5,000, chunk 1..500, window ≤ 100, pages ahead ≤ 100, budget ≤ 10,000 events, and a page
 * that the run which begins it can finish within its history: at most 250 chunks.
 */
export const findPlanProblem = (plan: RunPlan): string | undefined => {
  if (!isInteger(plan.pageSize, 1, 5_000)) return `pageSize must be an integer from 1 to 5,000, not ${plan.pageSize}`;
  if (!isInteger(plan.chunkSize, 1, 500)) return `chunkSize must be an integer from 1 to 500, not ${plan.chunkSize}`;
  if (!isInteger(plan.chunksInFlight, 1, 100)) return 'chunksInFlight must be an integer from 1 to 100';
  if (!isInteger(plan.pagesAhead, 0, 100)) return 'pagesAhead must be an integer from 0 to 100';
  if (!isInteger(plan.maxConcurrency, 1, 100)) return 'maxConcurrency must be an integer from 1 to 100';
  if (!isInteger(plan.eventBudget, 1, MAX_EVENT_BUDGET)) return `eventBudget must be an integer from 1 to ${MAX_EVENT_BUDGET}`;
  return findRatioProblem(plan, MAX_CHUNKS_OF_RUN);
};

/** Says when a page could need more than `chunks` chunks, or undefined. */
export const findRatioProblem = ({ pageSize, chunkSize }: RunPlan, chunks: number): string | undefined =>
  pageSize > chunks * chunkSize ? `pageSize ${pageSize} is more than ${chunks} chunks of ${chunkSize}` : undefined;
