import type { CaseResult, CaseRow, CaseState, CaseVerdict } from '../contracts/eval-result.ts';
import type { EvalFailure } from '../contracts/trajectory.ts';
import type { EvalRunStatus } from '../contracts/eval-run.ts';
import { ITEM_FAILURES } from '../contracts/failures.ts';
import { computeCaseVerdict } from './accounting.ts';

/** What a case that an abort left unfinished is said to be. */
const ABORTED: EvalFailure = { type: 'Aborted', message: 'Aborted' };

/** Derives a case's outcome from its ledger row, the only truth of it; an aborted run leaves no case pending or running. */
export function deriveCaseResult(row: CaseRow, runStatus: EvalRunStatus): CaseResult {
  const { seq, caseId, metadata } = row;
  const shown = { seq, caseId, metadata, question: showQuestion(row), expected: showExpected(row) };
  const state = deriveState(row);
  const isUnfinished = state === 'pending' || state === 'running';
  if (isUnfinished && runStatus === 'aborted') return { ...shown, state: 'error', error: ABORTED };
  const verdict = row.result ?? deriveFailedVerdict(row);
  const withVerdict = verdict === null || isUnfinished ? {} : { verdict };
  if (row.state !== 'failed') return { ...shown, state, ...withVerdict };
  const error = { type: row.errorType ?? ITEM_FAILURES.attemptsExhausted, message: row.error ?? 'failed' };
  return { ...shown, state, ...withVerdict, error };
}

function deriveState({ state, errorType, result }: CaseRow): CaseState {
  switch (state) {
    case null:
    case 'open':
      return 'pending';
    case 'claimed':
      return 'running';
    case 'failed':
      return errorType === ITEM_FAILURES.itemTimeout ? 'timeout' : 'error';
    case 'done':
    case 'skipped':
      return result?.status ?? 'completed';
    default:
      return unreachable(state);
  }
}

/** A failed item has no result; its figures are those of its last round, or at least the time that it took. */
function deriveFailedVerdict(row: CaseRow): CaseVerdict | null {
  if (row.state !== 'failed') return null;
  if (row.trajectories.length > 0) return computeCaseVerdict(row.trajectories, Math.max(1, row.trajectories.length));
  const time = row.elapsedMs === null ? {} : { latencyMs: row.elapsedMs };
  return { status: 'error', score: 0, k: 0, ...time, totals: time };
}

function showQuestion({ input }: CaseRow): string {
  const isOnlyUser = input.every(({ role }) => role === 'user');
  return input.map(({ role, content }) => (isOnlyUser ? content : `${role}: ${content}`)).join('\n');
}

function showExpected({ assertions }: CaseRow): string {
  return assertions
    .map(({ type, values, threshold, negate }) => {
      const name = `${negate === true ? 'not-' : ''}${type}${threshold === undefined ? '' : `(${threshold})`}`;
      return values.length === 0 ? name : `${name}: ${values.join(' | ')}`;
    })
    .join('\n');
}

function unreachable(state: never): never {
  throw new Error(`unknown state ${String(state)}`);
}
