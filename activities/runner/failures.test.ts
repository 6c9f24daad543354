import { ApplicationFailure } from '@temporalio/common';
import { DrizzleQueryError } from '../../packages/database/drizzle.ts';
import { describe, expect, test } from 'vitest';
import { classifyItemError, itemFailure, translateDatabaseError } from './failures.ts';

const database = (code: string, more: object = {}): Error =>
  new DrizzleQueryError('insert into cases values ($1)', ['secret'], Object.assign(new Error('duplicate key (secret)'), { code, ...more }));

const contract = { outageWaitsMs: { first: 1_000, max: 30_000 } };
const translate = (error: unknown, attempt = 1): ApplicationFailure => translateDatabaseError(contract, error, attempt) as ApplicationFailure;

describe('the error of an item', () => {
  test('keeps the class and the type that its author gave it', () => {
    expect(classifyItemError(itemFailure('ProviderRefused', 'HTTP 400'))).toMatchObject({
      type: 'ProviderRefused',
      message: 'HTTP 400',
      retryable: false,
    });
    expect(classifyItemError(itemFailure('ProviderUnavailable', 'HTTP 502', { retryable: true }))).toMatchObject({
      type: 'ProviderUnavailable',
      retryable: true,
    });
  });

  test('is retried when nobody classified it', () => {
    expect(classifyItemError(new RangeError('odd'))).toMatchObject({ type: null, message: 'RangeError: odd', retryable: true });
    expect(classifyItemError('odd')).toMatchObject({ type: null, message: 'odd', retryable: true });
  });

  test('of 5 MB is cut to 1 kB', () => {
    const { message } = classifyItemError(new Error('é'.repeat(2_500_000)));
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1_000);
  });

  test('holds nothing that Postgres or a payload could not keep', () => {
    const { message } = classifyItemError(new Error('a\0b\ud800c'));
    expect(message).not.toContain('\0');
    expect(message.isWellFormed()).toBe(true);
  });

  test('L4: of the database says SQLSTATE and constraint, never SQL or values', () => {
    const duplicate = classifyItemError(database('23505', { constraint: 'cases_key' }));
    expect(duplicate).toMatchObject({ type: 'UniqueViolation', message: 'database error 23505, constraint cases_key', retryable: false });
    expect(classifyItemError(database('55P03'))).toMatchObject({ type: null, message: 'database error 55P03', retryable: true });
    expect(classifyItemError(database('22P02'))).toMatchObject({ message: 'database error 22P02', retryable: false });
  });

  test('too many bind parameters are not retried', () => {
    expect(classifyItemError(database('08P01'))).toMatchObject({ retryable: false });
  });

  test('a provider that refuses the connection is not taken for the database', () => {
    const refused = new TypeError('fetch failed', { cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) });
    expect(classifyItemError(refused)).toMatchObject({ message: 'TypeError: fetch failed', retryable: true, databaseUnavailable: false });
  });
});

describe('a database error on its way out of an activity', () => {
  test('D2: an outage is retried after waits that double from the first to the longest', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 15].map((attempt) => translate(database('57P01'), attempt));
    expect(waits.map(({ nextRetryDelay }) => nextRetryDelay)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(waits[0]).toMatchObject({ type: 'DatabaseUnavailable', nonRetryable: false });
  });

  test('contention is retried, bad data is not', () => {
    expect(translate(database('40P01'))).toMatchObject({ type: 'DatabaseError', message: 'database error 40P01', nonRetryable: false });
    expect(translate(database('23503'))).toMatchObject({ type: 'DatabaseError', nonRetryable: true });
  });

  test('whatever is none of the database passes through as it is', () => {
    const failure = ApplicationFailure.nonRetryable('refused', 'PreflightRefused');
    expect(translate(failure)).toBe(failure);
    const error = new Error('other');
    expect(translate(error)).toBe(error);
  });
});
