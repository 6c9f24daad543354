import { log } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { Finalized, FinalizeRequest, LedgerCounts, ProgressRequest } from '../../packages/contracts/finish-activities.ts';
import type { ItemCounts } from '../../packages/contracts/counts.ts';
import { endMessages } from '../../packages/contracts/texts.ts';
import { inTransaction } from '../../packages/database/database.ts';
import { countItems, finishRun } from '../../packages/database/run-store.ts';
import type { Runner } from './definition.ts';
import type { KnownRun, LoadRun } from './runs.ts';

/** `readProgress`: the run's items by state, counted in the ledger. */
export const createReadProgress =
  <F extends FieldSpecs>({ deps }: Runner<F>) =>
  ({ run }: ProgressRequest): Promise<LedgerCounts> =>
    countItems(deps.db, run);

const endOf = <F extends FieldSpecs>({ contract }: Runner<F>, { stored }: KnownRun<F>, { ended, items }: { ended: FinalizeRequest['ended']; items: ItemCounts }): Pick<Finalized, 'outcome' | 'message'> => {
  const say = endMessages(contract.texts);
  switch (ended) {
    case 'drained':
      return items.failed > 0 ? { outcome: 'completedWithFailures', message: say.completedWithFailures(items) } : { outcome: 'completed', message: say.completed(items) };
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

/** `finalize`: recounts the run from the ledger, ends its row and gives the pipeline's own end its say, in one transaction. */
export const createFinalize =
  <F extends FieldSpecs>(runner: Runner<F>, loadRun: LoadRun<F>) =>
  async (request: FinalizeRequest): Promise<Finalized> => {
    const { contract, definition, deps } = runner;
    const run = await loadRun(request.run);
    return inTransaction(deps.db, async (tx) => {
      const ledger = await countItems(tx, request.run);
      // An item that another run had ended leaves no row of this run: only the receipts know that it was skipped.
      const items: ItemCounts = { succeeded: ledger.succeeded, failed: ledger.failed, skipped: Math.max(ledger.skipped, request.counted.skipped), interrupted: request.counted.interrupted };
      const { outcome, message } = endOf(runner, run, { ended: request.ended, items });
      if (ledger.succeeded !== request.counted.succeeded || ledger.failed !== request.counted.failed)
        log.warn(`[${contract.entity}:process] Counters differ from the ledger`, { runId: request.run, counted: request.counted, ledger });
      await definition.finalize?.({ input: run.input, run: request.run, outcome, counts: items, tx });
      const { finishedAt } = await finishRun(tx, { ...request, ...items, outcome, message });
      log.info(`[${contract.entity}:process] Completed:`, { pipeline: contract.type, layer: 'process', runId: request.run, outcome, ...items });
      return { ...items, outcome, message, finishedAt };
    });
  };
