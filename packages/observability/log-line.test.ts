import { describe, expect, test } from 'vitest';
import { formatLogLine } from './log-line.ts';

const ENTRY = { level: 'INFO', message: 'worker ready', timestampNanos: 1_700_000_000_123_456_789n };

const parse = (meta: Record<string, unknown>): unknown => JSON.parse(formatLogLine({ ...ENTRY, meta }));

describe('a log line', () => {
  test('begins with time, level and message and ends with a line break', () => {
    expect(formatLogLine({ ...ENTRY, meta: { runId: 'r' } })).toBe(
      '{"time":"2023-11-14T22:13:20.123Z","level":"INFO","message":"worker ready","runId":"r"}\n',
    );
    expect(formatLogLine(ENTRY)).toMatch(/^\{"time":.*"message":"worker ready"\}\n$/);
  });

  test('keeps its own fields against those of an entry that are called the same', () => {
    expect(parse({ message: 'other', level: 7, time: 'now' })).toMatchObject({ message: 'worker ready', level: 'INFO' });
  });

  test('is one line whatever an entry holds', () => {
    expect(formatLogLine({ ...ENTRY, message: 'a\nb', meta: { text: 'c\nd' } }).trimEnd()).not.toContain('\n');
  });

  test('tells an error by type, message, stack and cause', () => {
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { type: 'ProviderRefused' });
    expect(parse({ error })).toMatchObject({
      error: {
        type: 'ProviderRefused',
        message: 'outer',
        stack: expect.stringContaining('log-line.test.ts'),
        cause: { type: 'Error', message: 'inner' },
      },
    });
    const endless = new Error('endless');
    endless.cause = endless;
    expect(parse({ error: endless })).toHaveProperty('error.cause.cause.message', 'endless');
  });

  test('writes what JSON does not know, and an object within itself, as text; a shared one as it is', () => {
    const shared = { a: 1 };
    const circle: Record<string, unknown> = { shared, again: [shared, shared] };
    circle['self'] = circle;
    expect(parse({ big: 12n, circle })).toMatchObject({ big: '12', circle: { shared, again: [shared, shared], self: '[circular]' } });
  });
});
