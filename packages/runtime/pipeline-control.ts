import { WorkflowNotFoundError } from '@temporalio/client';
import { MESSAGES } from '../contracts/messages.ts';
import type { ControlAnswer, ControlRequest } from '../contracts/messages.ts';
import type { StoredRun } from '../database/run-store.ts';
import { latchAbort } from '../database/aborts.ts';
import { findRun, findRunOfWorkflow } from '../database/run-store.ts';
import { closeOrphanRun } from '../database/scope-store.ts';
import { readStatus } from './pipeline-status.ts';
import type { StatusDeps } from './pipeline-status.ts';
import { RunFault } from './run-fault.ts';

const ANSWER_WITHIN_MS = 5_000;

/** A run's controls. */
export type ControlVerb = 'pause' | 'resume' | 'abort';

/** Which run is told what. */
export interface ControlCall {
  readonly verb: ControlVerb;
  readonly workflowId: string;
  readonly reason?: string | undefined;
}

/** Answer of a control; `unanswered`: no worker said so, but the abort is latched in the run row and will be enforced. */
export interface ControlOutcome extends ControlAnswer {
  readonly workflowId: string;
  readonly unanswered?: true;
}

/**
 * Sends a control and waits 5 s for its answer. A RunFault for an ended run (exit 2), an unknown one and one that no worker answers for (exit 3).
 * An abort is latched in the run row first, where every claim sees it, so it stands even if no worker answers.
 */
export async function sendControl(deps: StatusDeps, call: ControlCall): Promise<ControlOutcome> {
  if (call.verb === 'abort') return abortRun(deps, call);
  const { verb, workflowId } = call;
  try {
    return { workflowId, ...(await askWorker(deps, call)) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw await endedFault(deps, call);
    const message = `no worker answered for ${workflowId} within ${ANSWER_WITHIN_MS / 1_000} s, ${verb} was not accepted: see \`strata status ${workflowId}\``;
    throw new RunFault('unanswered', message, error);
  }
}

function askWorker({ client }: StatusDeps, { verb, workflowId, reason }: ControlCall): Promise<ControlAnswer> {
  const args: [ControlRequest] = [reason === undefined ? {} : { reason }];
  const handle = client.workflow.getHandle(workflowId);
  return client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => handle.executeUpdate<ControlAnswer, [ControlRequest]>(MESSAGES[verb], { args }));
}

async function abortRun(deps: StatusDeps, call: ControlCall): Promise<ControlOutcome> {
  const { workflowId } = call;
  const latch = (): Promise<string | null> => latchAbort(deps.db, workflowId, call.reason ?? null);
  const latched = await latch();
  try {
    return { workflowId, ...(await askWorker(deps, call)) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return latched === null ? abortEnded(deps, call) : abortGone(deps, workflowId, latched);
    if ((latched ?? (await latch())) !== null) return { workflowId, accepted: true, state: 'aborting', unanswered: true };
    return abortUnopened(deps, call);
  }
}

/** The run row was open and its workflow is not: either it ended on the latch just now, or it had died and left the row behind. */
async function abortGone({ db }: StatusDeps, workflowId: string, row: string): Promise<ControlOutcome> {
  const isOrphan = await closeOrphanRun(db, row);
  const stored = isOrphan ? undefined : await findRun(db, row);
  return { workflowId, accepted: true, state: isOrphan || stored?.outcome === 'terminated' ? 'terminated' : 'aborting' };
}

/** A run that opened no row has written nothing: where nobody answers for it, it is ended at once. */
async function abortUnopened(deps: StatusDeps, call: ControlCall): Promise<ControlOutcome> {
  const { workflowId, reason } = call;
  try {
    await deps.client.workflow.getHandle(workflowId).terminate(reason ?? 'aborted before a worker took it up');
    return { workflowId, accepted: true, state: 'terminated' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return abortEnded(deps, call);
    throw error;
  }
}

/** Aborting again what an abort has terminated changes nothing and says so; any other ended run is refused. */
async function abortEnded(deps: StatusDeps, call: ControlCall): Promise<ControlOutcome> {
  const { workflowId } = call;
  const row = await findRunOfWorkflow(deps.db, { workflowId });
  if (row !== undefined && wasAbortedHard(row)) return { workflowId, accepted: true, state: 'terminated' };
  throw await endedFault(deps, call);
}

function wasAbortedHard({ outcome, abortRequestedAt }: StoredRun): boolean {
  return outcome === 'terminated' && abortRequestedAt !== null;
}

/** Of a run that no message reaches; rejects with the fault of an unknown one where there never was one. */
async function endedFault(deps: StatusDeps, { verb, workflowId }: ControlCall): Promise<RunFault> {
  const { state } = await readStatus(deps, workflowId);
  return new RunFault('conflict', `${workflowId} has already ended (${state}): there is nothing to ${verb}`);
}
