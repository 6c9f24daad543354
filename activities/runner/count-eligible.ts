import { log } from '@temporalio/activity';
import type { Counted, EntryRequest } from '../../packages/contracts/entry-activities.ts';
import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import { encodeCursor } from '../../packages/database/cursor.ts';
import { inTransaction, readNow } from '../../packages/database/database.ts';
import { countEligible } from '../../packages/database/eligible.ts';
import { isUniqueViolation } from '../../packages/database/errors.ts';
import { findRun } from '../../packages/database/run-store.ts';
import { closeOrphanRun, insertRun, readScopeState } from '../../packages/database/scope-store.ts';
import type { ActiveRun, ScopeState } from '../../packages/database/scope-store.ts';
import { logPrefix } from '../../packages/observability/log-fields.ts';
import type { Runner } from './definition.ts';
import { countsOf, endedAtEntry, maxFailuresOf, toCounts } from './entry-counts.ts';
import { selectFor } from './runs.ts';
import { alreadyRunning, requestIdOf, requireInput, requireRedrivable, scopeOf } from './start-request.ts';

const ENTRY_ROUNDS = 20;

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
    if (stored !== undefined)
      return { counts: countsOf(stored), epoch: stored.epoch, startedAt: stored.startedAt, run: { id: stored.id, epoch: stored.epoch }, ended: null };
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
  const ended = endedAtEntry(runner, input, counts);
  if (ended !== null) {
    const now = await readNow(db);
    return { counts, epoch: state.epoch, startedAt: now, run: null, ended: { ...ended, finishedAt: now } };
  }
  const upperBound = counted.upperBound === null ? null : encodeCursor(counted.upperBound);
  const maxFailures = maxFailuresOf(input, counts.toProcess);
  const run = {
    pipeline: runner.contract.type,
    scope,
    epoch,
    runNo: state.lastRunNo + 1,
    owner: request.owner,
    requestId: requestIdOf(input),
    input,
    upperBound,
    counts,
    maxFailures,
  };
  try {
    const opened = await inTransaction(db, async (tx) => {
      const row = await insertRun(tx, run);
      await runner.definition.markRunning?.(tx, input);
      return row;
    });
    log.info(`${logPrefix(runner.contract.entity, 'process')} Triggered pagination for ${counts.toProcess} ${runner.contract.texts.noun}`);
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
