import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
const RATE_LIMIT_CAP_SECONDS = 60;
const JITTER = 0.2;

const jittered = (ms: number): number => Math.round(ms * (1 + JITTER * Math.random()));

/** Wait after the given attempt (1 = the first), ms: the contract's growth plus 0–20 %. */
export const computeRetryWait = ({ retry }: Pick<PipelineContract, 'retry'>, attempt: number): number =>
  jittered(retry.growth === 'linear' ? retry.firstWaitMs * attempt : retry.firstWaitMs * 2 ** (attempt - 1));

/** Wait after a rate-limit answer, ms: what the provider said, at most 60 s, plus 0–20 %; own waits where it said nothing. */
export const computeRateLimitWait = (contract: Pick<PipelineContract, 'retry'>, told: number | null, inARow: number): number =>
  told === null
    ? Math.min(computeRetryWait(contract, inARow), RATE_LIMIT_CAP_SECONDS * 1_000)
    : jittered(Math.min(told, RATE_LIMIT_CAP_SECONDS) * 1_000);
