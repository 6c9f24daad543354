import { expect, test } from 'vitest';
import type { CaseRow, CaseVerdict } from '../contracts/eval-result.ts';
import { deriveCaseResult } from './case-result.ts';

const passed: CaseVerdict = { status: 'passed', score: 1, k: 1, totals: {} };
const row = (given: Partial<CaseRow>): CaseRow => ({
  seq: 1,
  caseId: 'case-1',
  input: [{ role: 'user', content: 'why' }],
  assertions: [{ type: 'contains', values: ['x', 'y'], negate: true }],
  metadata: {},
  state: null,
  errorType: null,
  error: null,
  result: null,
  elapsedMs: null,
  trajectories: [],
  ...given,
});
const stateOf = (given: Partial<CaseRow>): string => deriveCaseResult(row(given), 'running').state;

test('the state of a case follows from its ledger row alone', () => {
  expect(stateOf({})).toBe('pending');
  expect(stateOf({ state: 'open' })).toBe('pending');
  expect(stateOf({ state: 'claimed' })).toBe('running');
  expect(stateOf({ state: 'done', result: passed })).toBe('passed');
  expect(stateOf({ state: 'done', result: { ...passed, status: 'failed' } })).toBe('failed');
  expect(stateOf({ state: 'done', result: { ...passed, status: 'completed' } })).toBe('completed');
  expect(stateOf({ state: 'failed', errorType: 'ItemTimeout', error: 'late' })).toBe('timeout');
  expect(stateOf({ state: 'failed', errorType: 'ProviderRefused', error: 'no' })).toBe('error');
});

test('an aborted run leaves its unfinished cases as errors and its finished ones alone', () => {
  const aborted = (given: Partial<CaseRow>) => deriveCaseResult(row(given), 'aborted');
  expect(aborted({})).toMatchObject({ state: 'error', error: { message: 'Aborted' } });
  expect(aborted({ state: 'claimed' })).toMatchObject({ state: 'error', error: { message: 'Aborted' } });
  expect(aborted({ state: 'done', result: passed })).toMatchObject({ state: 'passed', verdict: passed });
});

test('a failed case has its reason, and the figures of its trajectories or at least its time', () => {
  const failed = { state: 'failed', errorType: 'ItemTimeout', error: 'late', elapsedMs: 900 } as const;
  expect(deriveCaseResult(row(failed), 'completed')).toMatchObject({ error: { type: 'ItemTimeout', message: 'late' }, verdict: { latencyMs: 900 } });
  const trajectories = [{ round: 0, k: 0, latencyMs: 700, tokens: 5, error: { type: 'ItemTimeout', message: 'late' } }];
  expect(deriveCaseResult(row({ ...failed, trajectories }), 'completed').verdict).toMatchObject({ latencyMs: 700, tokens: 5 });
});

test('a case shows its question and what was expected', () => {
  expect(deriveCaseResult(row({}), 'running')).toMatchObject({ question: 'why', expected: 'not-contains: x | y' });
  const input = [
    { role: 'system' as const, content: 'be brief' },
    { role: 'user' as const, content: 'why' },
  ];
  expect(deriveCaseResult(row({ input }), 'running').question).toBe('system: be brief\nuser: why');
});
