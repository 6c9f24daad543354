import type { CaseResult, CaseState } from '../contracts/eval-result.ts';
import type { EvalRunStatus } from '../contracts/eval-run.ts';
import { computeRunSummary, countStates } from './accounting.ts';
import type { CaseCounts, RunSummary } from './accounting.ts';

/** What a report says of the run itself; `target` is a description for people, without secrets. */
export type ReportedRun = {
  readonly id: string;
  readonly benchmark: string;
  readonly target: string;
  readonly status: EvalRunStatus;
  readonly k: number;
  readonly passThreshold: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
};

/** The cases of one category, most cases first. */
export type CategoryCounts = { readonly name: string; readonly total: number; readonly counts: CaseCounts };

/** Everything a report shows; this very object is the JSON form. */
export type EvalReport = {
  readonly run: ReportedRun;
  readonly summary: RunSummary;
  readonly wallClockMs: number | null;
  readonly categories: readonly CategoryCounts[];
  readonly cases: readonly CaseResult[];
};

/** The states in the order in which charts stack them. */
export const STATE_ORDER: readonly CaseState[] = ['passed', 'completed', 'failed', 'error', 'timeout', 'external', 'running', 'pending'];

/** Builds the report of a run from its cases. */
export function buildReport(run: ReportedRun, cases: readonly CaseResult[]): EvalReport {
  const isTimed = run.startedAt !== null && run.finishedAt !== null;
  return {
    run,
    summary: computeRunSummary(cases),
    wallClockMs: isTimed ? Date.parse(run.finishedAt) - Date.parse(run.startedAt) : null,
    categories: countCategories(cases),
    cases,
  };
}

/** The category of a case: its `metadata.category`, or `uncategorised`. */
export function readCategory(one: Pick<CaseResult, 'metadata'>): string {
  const category = one.metadata['category'];
  return typeof category === 'string' && category.trim() !== '' ? category : 'uncategorised';
}

function countCategories(cases: readonly CaseResult[]): CategoryCounts[] {
  const groups = new Map<string, CaseResult[]>();
  for (const one of cases) {
    const name = readCategory(one);
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [one]);
    else members.push(one);
  }
  return [...groups]
    .map(([name, members]) => ({ name, total: members.length, counts: countStates(members) }))
    .toSorted((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
}
