import { DrizzleQueryError } from './drizzle.ts';
import { describe, expect, test } from 'vitest';
import { classifyDatabaseError, ConnectFailed, isUniqueViolation } from './errors.ts';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error('insert into secrets values (1)'), { code, ...more });
const query = (cause: Error): Error => new DrizzleQueryError('insert into secrets values ($1)', ['value'], cause);

describe('an error of the database', () => {
  test.each(['57P01', '57P02', '57P03', '53300', '08000', '08003', '08006'])('%s means that the server cannot be reached now', (code) => {
    expect(classifyDatabaseError(query(coded(code)))).toMatchObject({ sqlState: code, unavailable: true });
  });

  test('08P01, too many bind parameters, is no outage', () => {
    expect(classifyDatabaseError(query(coded('08P01')))).toMatchObject({ sqlState: '08P01', unavailable: false, transient: false });
  });

  test.each(['55P03', '40P01', '40001', '57014', '25P03'])('%s is contention or a time-out of one statement', (code) => {
    expect(classifyDatabaseError(query(coded(code)))).toMatchObject({ sqlState: code, unavailable: false, transient: true });
  });

  test.each(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])(
    '%s below a statement, or instead of a connection, is an outage without a SQLSTATE',
    (code) => {
      const expected = { sqlState: null, constraint: null, unavailable: true, transient: false };
      expect(classifyDatabaseError(query(coded(code)))).toEqual(expected);
      expect(classifyDatabaseError(new ConnectFailed('no connection', { cause: coded(code) }))).toEqual(expected);
    },
  );

  test.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('the driver saying "%s" is an outage', (message) => {
    expect(classifyDatabaseError(new Error(message))).toMatchObject({ unavailable: true });
  });

  test('a connection refused on every address of a host is found below the aggregate', () => {
    const everywhere = new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]);
    expect(classifyDatabaseError(new ConnectFailed('no connection', { cause: everywhere }))).toMatchObject({ unavailable: true });
  });
});

describe('an error of somebody else', () => {
  test.each([
    ["a provider's refused connection", new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })],
    ["a provider's reset connection", coded('ECONNRESET')],
    ['a missing file', coded('ENOENT')],
    ['a programming error', new TypeError('x is undefined')],
    ['a thrown text', 'oops'],
    ['nothing', undefined],
  ])('%s is none of the database', (_what, error) => {
    expect(classifyDatabaseError(error)).toBeNull();
  });

  test('causes that go round in a circle end', () => {
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(classifyDatabaseError(circle)).toBeNull();
  });
});

describe('a unique violation', () => {
  test('is found below the wrapper, and told apart by its constraint', () => {
    const error = query(coded('23505', { constraint: 'pipeline_runs_one_active' }));
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'pipeline_runs_one_active')).toBe(true);
    expect(isUniqueViolation(error, 'pipeline_runs_number')).toBe(false);
    expect(isUniqueViolation(query(coded('23514')))).toBe(false);
  });
});
