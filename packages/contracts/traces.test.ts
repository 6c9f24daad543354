import { describe, expect, test } from 'vitest';
import { parseCarrier, spanIdOfRun, toCarrier, traceIdOfRun } from './traces.ts';

const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };

describe('a trace context in a header', () => {
  test.each([TRACE, { ...TRACE, isSampled: false }])('is read as it was written (%o)', (trace) => {
    expect(parseCarrier(toCarrier(trace))).toEqual(trace);
  });

  test('of a later version of the standard is read as far as it is known', () => {
    expect(parseCarrier({ traceparent: `01-${TRACE.traceId}-${TRACE.spanId}-03-more`, tracestate: 'x=1' })).toEqual(TRACE);
  });

  test.each([
    null,
    undefined,
    'text',
    7,
    [],
    {},
    { traceparent: null },
    { traceparent: '' },
    { traceparent: `ff-${TRACE.traceId}-${TRACE.spanId}-01` },
    { traceparent: `00-${'0'.repeat(32)}-${TRACE.spanId}-01` },
    { traceparent: `00-${TRACE.traceId}-${'0'.repeat(16)}-01` },
    { traceparent: `00-${TRACE.traceId.toUpperCase()}-${TRACE.spanId}-01` },
  ])('that is none is no error (%o)', (carrier) => {
    expect(parseCarrier(carrier)).toBeNull();
  });
});

test('a workflow run names its own trace and span: its id in hex, and the random end of it', () => {
  const runId = '01a22ff6-fafc-7446-999d-996adbcf9282';
  expect(traceIdOfRun(runId)).toBe('01a22ff6fafc7446999d996adbcf9282');
  expect(spanIdOfRun(runId)).toBe('999d996adbcf9282');
  expect(parseCarrier(toCarrier({ traceId: traceIdOfRun(runId), spanId: spanIdOfRun(runId), isSampled: true }))).not.toBeNull();
});
