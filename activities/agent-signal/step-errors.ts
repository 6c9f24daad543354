import { ITEM_FAILURES } from '../../packages/contracts/failures.ts';
import { cutText } from '../../packages/contracts/json-value.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { StepError } from '../../packages/contracts/signal-run.ts';
import { classifyItemError } from '../runner/failures.ts';

const MESSAGE_BYTES = 1_000;
const JITTER = 0.2;

/** What a handler's failure means for its call. */
export interface ClassifiedStep extends StepError {
  readonly isRetryable: boolean;
  /** Asked for by a provider, ms. */
  readonly retryAfterMs: number | null;
}

/** A call to be made again after a while; nothing of it was stored. */
export class RetryStep extends Error {
  readonly code: string;
  readonly delayMs: number;

  constructor({ code, message }: StepError, delayMs: number, cause?: unknown) {
    super(message, { cause });
    this.name = 'RetryStep';
    this.code = code;
    this.delayMs = delayMs;
  }
}

/** The claim of the call has been taken over: whatever it did is not stored. */
export class ClaimLost extends Error {
  constructor(eventId: string) {
    super(`event ${eventId} is in the hands of another claim`);
    this.name = 'ClaimLost';
  }
}

const KEY_LIKE = /\b(?:sk|pk|rk|key|ghp|gho|xox[abp]|whsec)[-_][A-Za-z0-9_-]{6,}|\bBearer\s+\S+|\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)*/g;

/** Text without anything that looks like a key or a token, cut to so many bytes. */
export const redact = (text: string, maxBytes: number = MESSAGE_BYTES): string => cutText(text.replaceAll(KEY_LIKE, '[redacted-key]'), maxBytes);

/** Classifies what a handler threw. */
export const classifyStepError = (error: unknown): ClassifiedStep => {
  const { type, message, retryable, retryAfterSeconds } = classifyItemError(error);
  return {
    code: type ?? ITEM_FAILURES.attemptsExhausted,
    message: redact(message),
    isRetryable: retryable,
    retryAfterMs: typeof retryAfterSeconds === 'number' ? Math.ceil(retryAfterSeconds * 1_000) : null,
  };
};

/** Pause before the next attempt, ms: what was asked for, else doubling from the first to the longest; jittered. */
export const computePause = (attempt: number, askedMs: number | null, { retryFirstMs, retryMaxMs }: SignalLimits): number => {
  const base = askedMs ?? Math.min(retryMaxMs, retryFirstMs * 2 ** (attempt - 1));
  return Math.round(base * (1 + JITTER * Math.random()));
};
