import type { Outcome, RunProgress, RunResult, RunState } from '../contracts/run.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import { computeRemaining } from '../contracts/texts.ts';
import type { LedgerCounts } from '../contracts/finish-activities.ts';
import type { StoredRun } from '../database/run-store.ts';
import type { RunEnding } from './run-ending.ts';

type Ended = Partial<Pick<RunResult, 'success' | 'outcome' | 'message' | 'finishedAt' | 'dryRun' | 'cancelled' | 'failedItems'>>;

/** How a run is doing or how it ended: the progress query's fields, the result's once there is one, and where they come from. */
export interface RunStatus extends RunProgress, Ended {
  readonly pipeline: string;
  /** First run id of the chain; continue-as-new does not change it. */
  readonly runId: string;
  /** Why a run ended badly. */
  readonly failure?: { readonly type: string; readonly message: string };
  /** Set where nobody polls the run's queue: since when, ISO text. */
  readonly noWorkerSince?: string;
}

/** The chain of runs that a status speaks of. */
export interface RunChain {
  readonly workflowId: string;
  readonly runId: string;
  readonly pipeline: string;
}

/** A run of which nothing is known but that it was started. */
export function blankStatus(chain: RunChain, state: RunState): RunStatus {
  return {
    ...chain,
    state,
    requestId: null,
    epoch: null,
    ...NO_ITEMS,
    pages: 0,
    chunks: 0,
    direct: 0,
    remaining: null,
    inFlight: 0,
    ratePerSecond: null,
    etaSeconds: null,
    asOf: null,
    startedAt: null,
  };
}

/** What the run row tells, with the ledger's counts where the run has not ended. */
export function statusOfRow(chain: RunChain, row: StoredRun, counted: LedgerCounts | undefined): RunStatus {
  const ledger = counted && { succeeded: counted.succeeded, failed: counted.failed, skipped: counted.skipped, interrupted: row.interrupted };
  const items = ledger ?? { succeeded: row.succeeded, failed: row.failed, skipped: row.skipped, interrupted: row.interrupted };
  return {
    ...blankStatus(chain, stateOfRow(row)),
    requestId: row.requestId,
    epoch: row.epoch,
    totalEligible: row.totalEligible,
    toProcess: row.toProcess,
    alreadyProcessed: row.alreadyProcessed,
    deferred: row.deferred,
    notEligible: row.notEligible,
    ...items,
    pages: row.pages,
    chunks: row.chunks,
    direct: row.direct,
    remaining: computeRemaining(row.toProcess, items),
    inFlight: counted?.inFlight ?? 0,
    asOf: counted?.asOf ?? row.finishedAt,
    startedAt: row.startedAt,
    ...(row.message !== null && { message: row.message }),
    ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
    ...(items.failed > 0 && { failedItems: `strata failures ${chain.workflowId}` }),
    ...outcomeOfRow(row),
  };
}

/** The status of a run that ended: the result's numbers, else those of the run row or of the failure's details. */
export function statusOfEnding(chain: RunChain, ending: RunEnding, fromRow: RunStatus | undefined): RunStatus {
  const known = fromRow ?? blankStatus(chain, 'running');
  if (ending.kind === 'completed') {
    const { result } = ending;
    return { ...known, ...result, state: result.outcome, inFlight: 0, etaSeconds: null, asOf: result.finishedAt, ratePerSecond: null };
  }
  const { outcome: _outcome, success: _success, ...numbers } = known;
  const { kind: state, type, message, counters } = ending;
  return { ...numbers, ...counters, state, success: false, inFlight: 0, message, failure: { type, message } };
}

const OUTCOMES: readonly string[] = ['completed', 'completedWithFailures', 'aborted', 'nothingToDo', 'dryRun'] satisfies Outcome[];

function outcomeOfRow({ outcome }: StoredRun): Ended {
  if (outcome === null || !OUTCOMES.includes(outcome)) return {};
  return { outcome: outcome as Outcome, success: outcome === 'completed', ...(outcome === 'aborted' && { cancelled: true as const }) };
}

function stateOfRow({ outcome, abortRequestedAt }: StoredRun): RunState {
  if (outcome !== null) return outcome as RunState;
  return abortRequestedAt === null ? 'running' : 'aborting';
}
