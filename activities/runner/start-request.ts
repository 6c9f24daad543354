import { ApplicationFailure } from '@temporalio/common';
import { canonicalJson, computeDigest } from '../../packages/contracts/digest.ts';
import { RUN_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import { parsePipelineInput } from '../../packages/contracts/input.schema.ts';
import { findRunOfWorkflow } from '../../packages/database/run-store.ts';
import type { ActiveRun } from '../../packages/database/scope-store.ts';
import type { Runner } from './definition.ts';
import { refuse, refuseInput } from './failures.ts';

/** Parses a start's arguments or refuses them: the only place where a pipeline's input becomes typed. */
export const requireInput = <F extends FieldSpecs>({ contract }: Runner<F>, args: readonly unknown[]): PipelineInput<F> => {
  const parsed = parsePipelineInput(contract, args);
  if (!parsed.ok) throw refuseInput(parsed.problems);
  return parsed.input;
};

/** The scope whose single active run this input asks for. */
export const scopeOf = <F extends FieldSpecs>({ contract }: Runner<F>, input: PipelineInput<F>): string =>
  contract.scopeField === null ? 'all' : String((input as Record<string, unknown>)[contract.scopeField]);

/** What tells equal requests from other ones. */
export const requestIdOf = ({ requestId, ...rest }: PipelineInput): string => requestId ?? computeDigest(canonicalJson(rest));

/** The epoch of the ended run whose failed items are asked for; refuses a run that is unknown, of another scope, or open. */
export const requireRedrivable = async <F extends FieldSpecs>(
  runner: Runner<F>,
  workflowId: string,
  scope: string,
): Promise<{ epoch: number; epochId: string }> => {
  const run = await findRunOfWorkflow(runner.deps.db, { workflowId });
  if (run === undefined || run.pipeline !== runner.contract.type) throw refuse(`Run not found: ${workflowId}`);
  if (run.scope !== scope) throw refuse(`${workflowId} is a run of ${run.scope}, not of ${scope}`);
  const isOpen = run.finishedAt === null && (await runner.deps.isOwnerRunning(run));
  if (isOpen) throw alreadyRunning({ ...run, id: run.id }, false);
  return { epoch: run.epoch, epochId: run.epochId };
};

/** Refuses a start because the scope's active run is another one. */
export const alreadyRunning = (active: ActiveRun, sameRequest: boolean): ApplicationFailure =>
  ApplicationFailure.create({
    type: RUN_FAILURES.alreadyRunning,
    message: `${active.workflowId} is already running`,
    details: [{ workflowId: active.workflowId, runId: active.firstRunId, sameRequest }],
    nonRetryable: true,
  });
