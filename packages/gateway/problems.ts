import type { InputProblem } from '../contracts/failures.ts';
import type { EventFailureType } from '../contracts/signal-events.ts';
import { classifyDatabaseError } from '../database/errors.ts';
import { EventRefused } from '../runtime/signal-answers.ts';
import { EXIT, UserError } from '../runtime/user-error.ts';

/** A problem as RFC 9457 has it; `type` is one of Strata's failure types. */
export interface Problem {
  readonly status: number;
  readonly type: string;
  readonly detail: string;
  readonly problems?: readonly InputProblem[];
  /** For callers that look for this key. */
  readonly error?: string;
  readonly retryAfterSeconds?: number | undefined;
}

/** The response of a problem. */
export const problem = ({ status, type, detail, retryAfterSeconds, ...more }: Problem): Response =>
  new Response(JSON.stringify({ type: `urn:strata:problem:${type}`, title: type, status, detail, ...more }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }) },
  });

const STATUS_OF: Readonly<Record<EventFailureType, number>> = {
  InvalidInput: 400,
  SourceTypeNotAllowed: 403,
  AgentNotUsable: 403,
  PayloadTooLarge: 413,
  RateLimited: 429,
  BacklogFull: 429,
  CauseDepthExceeded: 422,
};

const RETRY_SECONDS = 5;
// What was lost may be the answer only: the event may be a row.
const DATABASE_AWAY = 'the database cannot be reached: send it again, an event that is known is not done twice';

/** What an error is to an HTTP caller; only faults of ours are told without their reason. */
const describeError = (error: unknown): Problem => {
  if (error instanceof EventRefused) {
    const { type, message, problems, retryAfterSeconds } = error;
    return { status: STATUS_OF[type], type, detail: message, problems, retryAfterSeconds };
  }
  if (error instanceof UserError) {
    return error.exitCode === EXIT.unreachable
      ? { status: 404, type: 'NotFound', detail: error.message }
      : { status: 400, type: 'InvalidInput', detail: error.message };
  }
  if (classifyDatabaseError(error)?.unavailable === true)
    return { status: 503, type: 'DatabaseUnavailable', detail: DATABASE_AWAY, retryAfterSeconds: RETRY_SECONDS };
  return { status: 500, type: 'InternalError', detail: 'something went wrong here; the log of the gateway says what' };
};

/** Describes it, and tells the log of what callers are not told. */
export const judgeError = (error: unknown, onError: (error: unknown) => void): Problem => {
  const described = describeError(error);
  if (described.status >= 500) onError(error);
  return described;
};
