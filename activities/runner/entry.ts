import { log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { canonicalJson, computeDigest } from '../../packages/contracts/digest.ts';
import { RUN_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import { parsePipelineInput } from '../../packages/contracts/input.schema.ts';
import { findPlanProblem } from '../../packages/contracts/run-plan.ts';
import type { Counted, EntryRequest, Preflighted } from '../../packages/contracts/entry-activities.ts';
import type { EntryCounts } from '../../packages/contracts/counts.ts';
import type { Outcome } from '../../packages/contracts/run.ts';
import { endMessages } from '../../packages/contracts/texts.ts';
import { encodeCursor } from '../../packages/database/cursor.ts';
import { countEligible } from '../../packages/database/eligible.ts';
import type { EligibleCount } from '../../packages/database/eligible.ts';
import { isUniqueViolation } from '../../packages/database/errors.ts';
import type { ActiveRun, ScopeState } from '../../packages/database/scope-store.ts';
import { inTransaction, readNow } from '../../packages/database/database.ts';
import { findRun, findRunOfWorkflow } from '../../packages/database/run-store.ts';
import { closeOrphanRun, insertRun, readScopeState } from '../../packages/database/scope-store.ts';
import type { Runner } from './definition.ts';
import { refuse, refuseInput } from './failures.ts';
import { selectFor } from './runs.ts';

const ENTRY_ROUNDS = 20;

/** Parses a start's arguments or refuses them: the only place where a pipeline's input becomes typed. */
export const requireInput = <F extends FieldSpecs>({ contract }: Runner<F>, args: readonly unknown[]): PipelineInput<F> => {
  const parsed = parsePipelineInput(contract, args);
  if (!parsed.ok) throw refuseInput(parsed.problems);
  return parsed.input;
};

/** The scope whose single active run this input asks for. */
export const scopeOf = <F extends FieldSpecs>({ contract }: Runner<F>, input: PipelineInput<F>): string =>
  contract.scopeField === null ? 'all' : String((input as Record<string, unknown>)[contract.scopeField]);

const requestIdOf = ({ requestId, ...rest }: PipelineInput): string => requestId ?? computeDigest(canonicalJson(rest));

const tenantOf = (input: Readonly<Record<string, unknown>>): string | null => {
  const owner = input['workspaceId'] ?? input['userId'];
  return typeof owner === 'string' ? owner : null;
};

const requireRedrivable = async <F extends FieldSpecs>(runner: Runner<F>, workflowId: string, scope: string): Promise<{ epoch: number; epochId: string }> => {
  const run = await findRunOfWorkflow(runner.deps.db, { workflowId });
  if (run === undefined || run.pipeline !== runner.contract.type) throw refuse(`Run not found: ${workflowId}`);
  if (run.scope !== scope) throw refuse(`${workflowId} is a run of ${run.scope}, not of ${scope}`);
  const isOpen = run.finishedAt === null && (await runner.deps.isOwnerRunning(run));
  if (isOpen) throw alreadyRunning({ ...run, id: run.id }, false);
  return { epoch: run.epoch, epochId: run.epochId };
};

const alreadyRunning = (active: ActiveRun, sameRequest: boolean): ApplicationFailure =>
  ApplicationFailure.create({
    type: RUN_FAILURES.alreadyRunning,
    message: `${active.workflowId} is already running`,
    details: [{ workflowId: active.workflowId, runId: active.firstRunId, sameRequest }],
    nonRetryable: true,
  });

/** `preflight`: strict parse, then the pipeline's own preconditions; writes nothing. */
export const createPreflight =
  <F extends FieldSpecs>(runner: Runner<F>) =>
  async ({ args }: EntryRequest): Promise<Preflighted> => {
    const { contract, definition, deps } = runner;
    const input = requireInput(runner, args);
    const scope = scopeOf(runner, input);
    log.info(`[${contract.entity}:process] Starting with payload:`, { pipeline: contract.type, layer: 'process', scope, dryRun: input.dryRun });
    if (input.redriveOf !== undefined) await requireRedrivable(runner, input.redriveOf, scope);
    const { active } = await readScopeState(deps.db, contract.type, scope);
    const answer = (await definition.preflight?.({ input, hasActiveRun: active !== null })) ?? {};
    const chosen = input.maxConcurrency === undefined ? {} : { maxConcurrency: input.maxConcurrency };
    const plan = { ...contract.plan, ...answer.plan, ...chosen };
    const problem = findPlanProblem(plan);
    if (problem !== undefined) throw refuseInput([{ path: problem.split(' ')[0] ?? '', code: 'out_of_bounds', message: problem }]);
    return {
      requestId: requestIdOf(input),
      scope,
      dryRun: input.dryRun,
      redrive: input.redriveOf !== undefined,
      failureThreshold: input.failureThreshold ?? null,
      tenant: tenantOf(input),
      plan,
    };
  };

const toCounts = (input: PipelineInput, { total, processed }: EligibleCount): EntryCounts => {
  const open = total - processed;
  const toProcess = Math.min(open, input.maxItems ?? open);
  return {
    totalEligible: total,
    toProcess,
    alreadyProcessed: processed,
    deferred: open - toProcess,
    notEligible: input.itemIds === undefined ? 0 : new Set(input.itemIds).size - total,
  };
};

const countsOf = ({ totalEligible, toProcess, alreadyProcessed, deferred, notEligible }: EntryCounts): EntryCounts => ({ totalEligible, toProcess, alreadyProcessed, deferred, notEligible });

const maxFailuresOf = ({ failureThreshold: threshold }: PipelineInput, toProcess: number): number | null => {
  if (threshold === undefined) return null;
  return 'count' in threshold ? threshold.count : Math.floor(threshold.share * toProcess + 1e-9);
};

const messageOf = <F extends FieldSpecs>({ contract }: Runner<F>, input: PipelineInput<F>, counts: EntryCounts): { outcome: Outcome; message: string } | null => {
  const say = endMessages(contract.texts);
  const ended: Outcome = input.dryRun ? 'dryRun' : 'nothingToDo';
  if (counts.totalEligible === 0) return { outcome: 'nothingToDo', message: input.redriveOf === undefined ? say.noEligible() : say.nothingToRedrive() };
  if (input.dryRun) return { outcome: ended, message: say.dryRun(counts.toProcess) };
  return counts.toProcess === 0 ? { outcome: ended, message: say.allProcessed() } : null;
};

interface EntryState<F extends FieldSpecs> {
  readonly runner: Runner<F>;
  readonly request: EntryRequest;
  readonly input: PipelineInput<F>;
  readonly scope: string;
}

const opensEpoch = <F extends FieldSpecs>({ runner, input }: EntryState<F>): boolean => input.force && runner.contract.forceOpensEpoch;

const epochFor = async <F extends FieldSpecs>(entry: EntryState<F>, state: ScopeState): Promise<{ epoch: number; epochId: string | null }> => {
  const { runner, input, scope } = entry;
  if (input.redriveOf !== undefined) return requireRedrivable(runner, input.redriveOf, scope);
  const opensNew = opensEpoch(entry) && state.epochId !== null;
  return opensNew ? { epoch: state.epoch + 1, epochId: null } : { epoch: state.epoch, epochId: state.epochId };
};

/** The run this very workflow already opened, or null once the scope is free; throws `AlreadyRunning` while another owner lives. */
const resolveActive = async <F extends FieldSpecs>({ runner, request, input }: EntryState<F>, active: ActiveRun): Promise<Counted | null> => {
  const { owner } = request;
  if (active.workflowId === owner.workflowId && active.firstRunId === owner.firstRunId) {
    const stored = await findRun(runner.deps.db, active.id);
    if (stored !== undefined) return { counts: countsOf(stored), epoch: stored.epoch, startedAt: stored.startedAt, run: { id: stored.id, epoch: stored.epoch }, ended: null };
  }
  if (await runner.deps.isOwnerRunning(active)) throw alreadyRunning(active, active.requestId === requestIdOf(input));
  await closeOrphanRun(runner.deps.db, active.id);
  return null;
};

const openRun = async <F extends FieldSpecs>(entry: EntryState<F>, state: ScopeState): Promise<Counted | null> => {
  const { runner, request, input, scope } = entry;
  const { db } = runner.deps;
  const { epoch, epochId } = await epochFor(entry, state);
  const counted = await countEligible(db, selectFor(runner, { input, epochId, run: null }));
  const counts = toCounts(input, counted);
  const ended = messageOf(runner, input, counts);
  if (ended !== null) {
    const now = await readNow(db);
    return { counts, epoch: state.epoch, startedAt: now, run: null, ended: { ...ended, finishedAt: now } };
  }
  const upperBound = counted.upperBound === null ? null : encodeCursor(counted.upperBound);
  const maxFailures = maxFailuresOf(input, counts.toProcess);
  const run = { pipeline: runner.contract.type, scope, epoch, runNo: state.lastRunNo + 1, owner: request.owner, requestId: requestIdOf(input), input, upperBound, counts, maxFailures };
  try {
    const opened = await inTransaction(db, async (tx) => {
      const row = await insertRun(tx, run);
      await runner.definition.markRunning?.(tx, input);
      return row;
    });
    log.info(`[${runner.contract.entity}:process] Triggered pagination for ${counts.toProcess} ${runner.contract.texts.noun}`, { pipeline: runner.contract.type, layer: 'process', runId: opened.id });
    return { counts, epoch, startedAt: opened.startedAt, run: { id: opened.id, epoch }, ended: null };
  } catch (error) {
    if (isUniqueViolation(error, 'pipeline_runs_one_active') || isUniqueViolation(error, 'pipeline_runs_number')) return null;
    throw error;
  }
};

/**
 * `countEligible`: counts with the pages' query and, unless it is a dry run or nothing is left, opens the run.
 * The scope's run number is the optimistic lock: whoever counted before another run opened counts again.
 */
export const createCountEligible =
  <F extends FieldSpecs>(runner: Runner<F>) =>
  async (request: EntryRequest): Promise<Counted> => {
    const input = requireInput(runner, request.args);
    const entry: EntryState<F> = { runner, request, input, scope: scopeOf(runner, input) };
    for (let round = 0; round < ENTRY_ROUNDS; round++) {
      const state = await readScopeState(runner.deps.db, runner.contract.type, entry.scope);
      if (state.active !== null && !input.dryRun) {
        const own = await resolveActive(entry, state.active);
        if (own !== null) return own;
        continue;
      }
      const counted = await openRun(entry, state);
      if (counted !== null) return counted;
    }
    throw new Error('the scope kept changing while it was counted');
  };
