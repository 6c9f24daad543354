import { ITEM_FAILURES } from '../contracts/failures.ts';
import type { ItemFailureType } from '../contracts/failures.ts';

/** What a failed call of a target or judge means for its item. */
export type ModelFault = {
  readonly type: ItemFailureType;
  readonly retryable: boolean;
  /** From a Retry-After header, in seconds from now. */
  readonly retryAfterSeconds?: number;
};

/** A classified failure of a model or agent; callers translate it by `type`, `retryable` and `retryAfterSeconds`. */
export class ModelError extends Error {
  readonly type: ItemFailureType;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, fault: ModelFault, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'ModelError';
    this.type = fault.type;
    this.retryable = fault.retryable;
    this.retryAfterSeconds = fault.retryAfterSeconds;
  }
}

/** Tells a classified failure, also one that another copy of this module made. */
export function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && error.name === 'ModelError' && 'type' in error && 'retryable' in error;
}

const PASSING_4XX = new Set([408, 425, 429]);

/** The fault behind an HTTP status that is no success: behaviour/pipelines.md sections 2 and 3. */
export function classifyStatus(status: number, retryAfter: string | null, now: Date): ModelFault {
  const seconds = parseRetryAfter(retryAfter, now);
  const wait = seconds === null ? {} : { retryAfterSeconds: seconds };
  if (status === 429 || (status === 503 && seconds !== null)) return { type: ITEM_FAILURES.rateLimited, retryable: true, ...wait };
  const isRefusal = status >= 300 && status < 500 && !PASSING_4XX.has(status);
  if (isRefusal) return { type: ITEM_FAILURES.providerRefused, retryable: false };
  return { type: ITEM_FAILURES.providerUnavailable, retryable: true, ...wait };
}

/** Reads a Retry-After header, seconds or an HTTP date; null if there is none or it is neither. */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  const at = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}

/** The failure of a call that got no answer at all. */
export function unavailable(what: string, cause: unknown): ModelError {
  const reason = describeCause(cause);
  return new ModelError(`${what} cannot be reached: ${reason}`, { type: ITEM_FAILURES.providerUnavailable, retryable: true }, cause);
}

/** The failure of an answer that is not what was agreed. */
export function invalidOutput(message: string, cause?: unknown): ModelError {
  return new ModelError(message, { type: ITEM_FAILURES.invalidOutput, retryable: true }, cause);
}

/** fetch says only "fetch failed"; the reason is in its cause. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : error.message;
}
