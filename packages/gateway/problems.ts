import type { z } from 'zod';
import type { InputProblem } from '../contracts/failures.ts';
import { toProblems } from '../contracts/problems.schema.ts';
import type { EventFailureType } from '../contracts/signal-events.ts';
import { classifyDatabaseError, isUnstorable } from '../database/errors.ts';
import { EventRefused } from '../runtime/signal-answers.ts';
import { RunFault } from '../runtime/run-fault.ts';
import type { RunFaultKind } from '../runtime/run-fault.ts';
import { isTemporalAway } from '../runtime/temporal-away.ts';
import { UserError } from '../runtime/user-error.ts';

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

const RETRY_SECONDS = 5;

/** The response of a problem. */
export const problem = ({ status, type, detail, retryAfterSeconds, ...more }: Problem): Response =>
  new Response(JSON.stringify({ type: `urn:strata:problem:${type}`, title: type, status, detail, ...more }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }) },
  });

const OF_RUN = {
  unknown: { status: 404, type: 'NotFound' },
  conflict: { status: 409, type: 'Conflict' },
  unanswered: { status: 503, type: 'Unavailable', retryAfterSeconds: RETRY_SECONDS },
} as const satisfies Readonly<Record<RunFaultKind, Omit<Problem, 'detail'>>>;

const STATUS_OF: Readonly<Record<EventFailureType, number>> = {
  InvalidInput: 400,
  SourceTypeNotAllowed: 403,
  Forbidden: 403,
  AgentNotUsable: 403,
  PayloadTooLarge: 413,
  RateLimited: 429,
  BacklogFull: 429,
  CauseDepthExceeded: 422,
};

// What was lost may be the answer only: the event may be a row.
const DATABASE_AWAY = 'the database cannot be reached: send it again, an event that is known is not done twice';

/** What an error is to an HTTP caller; only faults of ours are told without their reason. */
const describeError = (error: unknown): Problem => {
  if (error instanceof EventRefused) {
    const { type, message, problems, retryAfterSeconds } = error;
    return { status: STATUS_OF[type], type, detail: message, problems, retryAfterSeconds };
  }
  if (error instanceof RunFault) return { ...OF_RUN[error.kind], detail: error.message };
  if (error instanceof UserError) return { status: 400, type: 'InvalidInput', detail: error.message };
  if (isTemporalAway(error)) return { ...OF_RUN.unanswered, detail: 'Temporal cannot be reached: try again' };
  if (isUnstorable(error))
    return {
      status: 400,
      type: 'InvalidInput',
      detail: 'a value is none that the database can keep: text with NUL, half a character, or a number out of range',
    };
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

/** Parses what a caller sent; throws what is wrong with it, field by field. */
export const requireInput = <S extends z.ZodObject>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const known = Object.keys(schema.shape);
  throw new EventRefused(
    'InvalidInput',
    parsed.error.issues.flatMap((issue) => toProblems(issue, { known })),
  );
};
