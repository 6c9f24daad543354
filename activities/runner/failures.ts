import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { computeByteLength } from '../../packages/contracts/digest.ts';
import type { InputProblem, ItemFailureType } from '../../packages/contracts/failures.ts';
import { ITEM_FAILURES, RUN_FAILURES } from '../../packages/contracts/failures.ts';
import { cutText } from '../../packages/contracts/json-value.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import type { ItemFailureDetails } from '../../packages/contracts/item-activities.ts';
import { classifyDatabaseError } from '../../packages/database/errors.ts';

const MESSAGE_BYTES = 1_000;
const DETAILS_BYTES = 900;
const PROBLEM_BYTES = 200;
const PATH_BYTES = 100;

/** Refuses a run before anything is written: the workflow ends Failed `PreflightRefused`. */
export const refuse = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: RUN_FAILURES.preflightRefused, message, nonRetryable: true });

/** As many problems as fit beside the message: the server cuts a failure at 4 kB, and its type with it. */
const listProblems = (problems: readonly InputProblem[]): InputProblem[] => {
  const listed: InputProblem[] = [];
  let bytes = 0;
  for (const { path, code, message } of problems) {
    const problem = { path: cutText(path, PATH_BYTES), code, message: cutText(message, PROBLEM_BYTES) };
    bytes += computeByteLength(JSON.stringify(problem));
    if (bytes > DETAILS_BYTES) break;
    listed.push(problem);
  }
  return listed;
};

/** Refuses a start's argument, all problems at once. */
export const refuseInput = (problems: readonly InputProblem[]): ApplicationFailure =>
  ApplicationFailure.create({
    type: RUN_FAILURES.invalidInput,
    message: cutText(problems.map(({ message }) => message).join('; '), MESSAGE_BYTES),
    details: [listProblems(problems)],
    nonRetryable: true,
  });

/** A failure of one item that its author has classified. */
export class ItemFailure extends Error {
  readonly type: ItemFailureType;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(options: { type: ItemFailureType; message: string; retryable: boolean; retryAfterSeconds?: number; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.type = options.type;
    this.retryable = options.retryable;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Builds a classified failure of one item; `retryable` defaults to false. */
export const itemFailure = (type: ItemFailureType, message: string, options: { retryable?: boolean; cause?: unknown } = {}): ItemFailure =>
  new ItemFailure({ type, message, retryable: options.retryable ?? false, cause: options.cause });

/** One failed attempt as the ledger and the workflow see it. */
export interface ClassifiedFailure {
  /** Null: unclassified, so that exhausting the attempts is what it is called by. */
  readonly type: ItemFailureType | null;
  readonly message: string;
  readonly retryable: boolean;
  /** Seconds to wait as told by the provider; null when it told none, undefined when it is no rate limit. */
  readonly retryAfterSeconds: number | null | undefined;
  readonly databaseUnavailable: boolean;
}

const KNOWN_TYPES = new Set<string>(Object.values(ITEM_FAILURES));

interface ClassifiedLike {
  readonly type: ItemFailureType;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
}

const isClassified = (error: unknown): error is ClassifiedLike =>
  typeof error === 'object' && error !== null && 'type' in error && 'retryable' in error && KNOWN_TYPES.has(String(error.type));

const databaseFailure = (error: unknown): ClassifiedFailure | null => {
  const fault = classifyDatabaseError(error);
  if (fault === null) return null;
  const where = fault.constraint === null ? '' : `, constraint ${fault.constraint}`;
  const isUnique = fault.sqlState === '23505';
  const isData = fault.sqlState?.startsWith('22') === true || fault.sqlState?.startsWith('23') === true;
  return {
    type: isUnique ? ITEM_FAILURES.uniqueViolation : isData ? ITEM_FAILURES.invalidOutput : null,
    message: fault.sqlState === null ? 'the database cannot be reached' : `database error ${fault.sqlState}${where}`,
    retryable: !isData && fault.sqlState !== '08P01',
    retryAfterSeconds: undefined,
    databaseUnavailable: fault.unavailable,
  };
};

/** Classifies whatever an item threw; messages are cut to 1 kB and never hold SQL or its values. */
export const classifyItemError = (error: unknown): ClassifiedFailure => {
  if (isClassified(error)) {
    const limited = error.type === ITEM_FAILURES.rateLimited;
    return {
      type: error.type,
      message: cutText(error.message, MESSAGE_BYTES),
      retryable: error.retryable,
      retryAfterSeconds: limited ? (error.retryAfterSeconds ?? null) : undefined,
      databaseUnavailable: false,
    };
  }
  const fromDatabase = databaseFailure(error);
  if (fromDatabase !== null) return fromDatabase;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { type: null, message: cutText(message, MESSAGE_BYTES), retryable: true, retryAfterSeconds: undefined, databaseUnavailable: false };
};

/**
 * What an activity throws for a database error; anything else passes through. An unreachable database is retried by Temporal
 * with waits that outlast an outage of minutes, and no attempt of any item is used.
 */
export const translateDatabaseError = ({ outageWaitsMs }: Pick<PipelineContract, 'outageWaitsMs'>, error: unknown, attempt: number): unknown => {
  const failure = error instanceof ApplicationFailure ? null : databaseFailure(error);
  if (failure === null) return error;
  const { message } = failure;
  if (!failure.databaseUnavailable) return ApplicationFailure.create({ type: 'DatabaseError', message, nonRetryable: !failure.retryable });
  const nextRetryDelay = Math.min(outageWaitsMs.first * 2 ** (attempt - 1), outageWaitsMs.max);
  return ApplicationFailure.create({ type: RUN_FAILURES.databaseUnavailable, message, nextRetryDelay });
};

/** An item's failure as the workflow sees it; `retryInMs` null means that it is final. Benign: the run counts and logs it, so the SDK need not warn of each attempt. */
export const itemActivityFailure = (options: {
  readonly type: string;
  readonly message: string;
  readonly details: ItemFailureDetails;
  readonly retryInMs: number | null;
}): ApplicationFailure =>
  ApplicationFailure.create({
    type: options.type,
    message: options.message,
    details: [options.details],
    nonRetryable: options.retryInMs === null,
    category: ApplicationFailureCategory.BENIGN,
    ...(options.retryInMs === null ? {} : { nextRetryDelay: options.retryInMs }),
  });
