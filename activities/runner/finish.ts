import { log } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { Finalized, FinalizeRequest, LedgerCounts, ProgressRequest } from '../../packages/contracts/finish-activities.ts';
import type { ItemCounts } from '../../packages/contracts/counts.ts';
import { computeRemaining, endMessages } from '../../packages/contracts/texts.ts';
import { inTransaction } from '../../packages/database/database.ts';
import { countItems, finishRun, lockRun } from '../../packages/database/run-store.ts';
import type { StoredRun } from '../../packages/database/run-store.ts';
import { logPrefix } from '../../packages/observability/log-fields.ts';
import type { Runner } from './definition.ts';
import type { KnownRun, LoadRun } from './runs.ts';

/** `readProgress`: the run's items by state, counted in the ledger. */
export const createReadProgress =
  <F extends FieldSpecs>({ deps }: Runner<F>) =>
  ({ run }: ProgressRequest): Promise<LedgerCounts> =>
    countItems(deps.db, run);

const endOf = <F extends FieldSpecs>(
  { contract }: Runner<F>,
  { stored }: KnownRun<F>,
  { ended, items }: { ended: FinalizeRequest['ended']; items: ItemCounts },
): Pick<Finalized, 'outcome' | 'message'> => {
  const say = endMessages(contract.texts);
  switch (ended) {
    case 'drained':
      return items.failed > 0
        ? { outcome: 'completedWithFailures', message: say.completedWithFailures(items) }
        : { outcome: 'completed', message: say.completed(items) };
    case 'aborted':
      return { outcome: 'aborted', message: say.aborted(items, stored) };
    case 'canceled':
      return { outcome: 'canceled', message: say.aborted(items, stored) };
    case 'threshold':
      return { outcome: 'failed', message: say.threshold(items, stored) };
    case 'databaseUnavailable':
      return { outcome: 'failed', message: 'the database could not be reached; the items are still open' };
    case 'failed':
      return { outcome: 'failed', message: 'the run stopped on an internal error' };
    default:
      return ended satisfies never;
  }
};

/** What the ledger counts; an item that another run had ended, or that has no id, leaves no row of this run: only the receipts know of it. */
const recount = (ledger: LedgerCounts, counted: ItemCounts, toProcess: number): ItemCounts => {
  const ended = {
    succeeded: ledger.succeeded,
    failed: Math.max(ledger.failed, counted.failed),
    skipped: Math.max(ledger.skipped, counted.skipped),
    interrupted: 0,
  };
  // An item that was cancelled when it had just ended is an ended one.
  return { ...ended, interrupted: Math.min(counted.interrupted, computeRemaining(toProcess, ended)) };
};

/** How a run had ended when an earlier attempt of its `finalize` got through; null while it is open, or if it was closed from outside. */
const endedBefore = ({ finishedAt, outcome, message, succeeded, failed, skipped, interrupted }: StoredRun): Finalized | null => {
  if (finishedAt === null || outcome === null || outcome === 'terminated') return null;
  return { succeeded, failed, skipped, interrupted, outcome: outcome as Finalized['outcome'], message: message ?? '', finishedAt };
};

/** `finalize`: recounts the run from the ledger, ends its row and gives the pipeline's own end its say, once and in one transaction. */
export const createFinalize =
  <F extends FieldSpecs>(runner: Runner<F>, loadRun: LoadRun<F>) =>
  async (request: FinalizeRequest): Promise<Finalized> => {
    const { contract, definition, deps } = runner;
    const run = await loadRun(request.run);
    return inTransaction(deps.db, async (tx) => {
      const locked = await lockRun(tx, request.run);
      const before = locked === undefined ? null : endedBefore(locked);
      if (before !== null) return before;
      const ledger = await countItems(tx, request.run);
      const items = recount(ledger, request.counted, run.stored.toProcess);
      const { outcome, message } = endOf(runner, run, { ended: request.ended, items });
      if (ledger.succeeded !== request.counted.succeeded || ledger.failed !== request.counted.failed)
        log.warn(`${logPrefix(contract.entity, 'process')} Counters differ from the ledger`, { counted: request.counted, ledger });
      await definition.finalize?.({ input: run.input, run: request.run, outcome, counts: items, tx });
      const { finishedAt } = await finishRun(tx, { ...request, ...items, outcome, message });
      log.info(`${logPrefix(contract.entity, 'process')} Completed:`, { outcome, ...items });
      return { ...items, outcome, message, finishedAt };
    });
  };
