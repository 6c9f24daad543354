import { DrizzleQueryError } from './drizzle.ts';

/** What a database error means to us: never its SQL or its values. */
export interface DatabaseFault {
  readonly sqlState: string | null;
  readonly constraint: string | null;
  /** The server cannot be reached or is going down: nothing was decided, ask again later. */
  readonly unavailable: boolean;
  /** Contention or a time-out of one statement: the same statement may succeed next time. */
  readonly transient: boolean;
}

const UNREACHABLE = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENOENT']);
const GOING_DOWN = new Set(['57P01', '57P02', '57P03', '53300']);
const CONTENDED = new Set(['55P03', '40P01', '40001', '57014', '25P03']);
const CONNECTION_LOST = /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|connection ended/i;
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** A connection for a transaction could not be had. */
export class ConnectFailed extends Error {}

interface Coded {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly syscall?: unknown;
}

function* causes(error: unknown): Generator<Coded> {
  let current: unknown = error;
  for (let depth = 0; depth < 10 && typeof current === 'object' && current !== null; depth++) {
    yield current as Coded;
    const { cause, errors } = current as Coded;
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
}

const isStatement = (link: unknown): boolean => link instanceof DrizzleQueryError || link instanceof ConnectFailed;

const isUnavailable = ({ code, message, isQuery }: { readonly code: string; readonly message: string; readonly isQuery: boolean }): boolean =>
  (isQuery && UNREACHABLE.has(code)) || GOING_DOWN.has(code) || (code.startsWith('08') && code !== '08P01') || CONNECTION_LOST.test(message);

/**
 * Classifies an error of pg or drizzle by walking its causes; null when it is none of the database's. A network code is the database's only below
 * one of our own statements: an item's provider is refused and reset by the same codes.
 */
export const classifyDatabaseError = (error: unknown): DatabaseFault | null => {
  let isQuery = false;
  for (const link of causes(error)) {
    isQuery ||= isStatement(link);
    const code = typeof link.code === 'string' ? link.code : '';
    const message = typeof link.message === 'string' ? link.message : '';
    const isSql = SQL_STATE.test(code) && !UNREACHABLE.has(code);
    const unavailable = isUnavailable({ code, message, isQuery });
    if (!isSql && !unavailable) continue;
    return {
      sqlState: isSql ? code : null,
      constraint: typeof link.constraint === 'string' ? link.constraint : null,
      unavailable,
      transient: CONTENDED.has(code),
    };
  }
  return null;
};

/** True when Postgres cannot keep a value as it is: its text, its number, its JSON (SQLSTATE class 22). */
export const isUnstorable = (error: unknown): boolean => classifyDatabaseError(error)?.sqlState?.startsWith('22') === true;

/** True when the error is a unique violation, of the named constraint if one is given. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean => {
  const fault = classifyDatabaseError(error);
  return fault?.sqlState === '23505' && (constraint === undefined || fault.constraint === constraint);
};
