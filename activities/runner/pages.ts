import { log } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { ListedPage, ListRequest } from '../../packages/contracts/page-activities.ts';
import { encodeCursor, parseCursor } from '../../packages/database/cursor.ts';
import { listEligible } from '../../packages/database/eligible.ts';
import { logPrefix } from '../../packages/observability/log-fields.ts';
import type { Runner } from './definition.ts';
import type { LoadRun } from './runs.ts';
import { selectFor } from './runs.ts';

const MAX_PAGES_A_CALL = 200;
const MAX_MS_A_CALL = 5_000;

/** `listPage`: the next page with open items; wholly processed pages are passed over inside one call, ≤ 200 of them or 5 s. */
export const createListPage =
  <F extends FieldSpecs>(runner: Runner<F>, loadRun: LoadRun<F>) =>
  async (request: ListRequest): Promise<ListedPage> => {
    const { stored, input } = await loadRun(request.run);
    log.debug(`${logPrefix(runner.contract.entity, 'paginate')} Starting with payload:`, { cursor: request.cursor, pageSize: request.pageSize });
    if (stored.upperBound === null) return { ids: [], pages: 0, skippedItems: 0, nextCursor: null };
    const selection = selectFor(runner, { input, epochId: stored.epochId, run: stored.id });
    const upperBound = parseCursor(stored.upperBound);
    const startedAt = performance.now();
    let after = request.cursor === null ? null : parseCursor(request.cursor);
    let skippedItems = 0;
    for (let pages = 1; ; pages++) {
      const page = await listEligible(runner.deps.db, { selection, after, upperBound, pageSize: request.pageSize });
      skippedItems += page.skippedItems;
      after = page.next;
      const isSpent = pages >= MAX_PAGES_A_CALL || performance.now() - startedAt >= MAX_MS_A_CALL;
      if (page.ids.length === 0 && after !== null && !isSpent) continue;
      const nextCursor = after === null ? null : encodeCursor(after);
      report(runner, { pages, processedItems: page.ids.length, skippedItems, nextCursor });
      return { ids: page.ids, pages, skippedItems, nextCursor };
    }
  };

interface PageReport {
  readonly pages: number;
  readonly processedItems: number;
  readonly skippedItems: number;
  readonly nextCursor: string | null;
}

const report = <F extends FieldSpecs>({ contract }: Runner<F>, page: PageReport): void => {
  const prefix = logPrefix(contract.entity, 'paginate');
  if (page.processedItems > 0) log.info(`${prefix} Processing items:`, { items: page.processedItems });
  const isComplete = page.processedItems === 0 && page.nextCursor === null;
  log.info(`${prefix} Completed:`, { success: true, ...page, ...(isComplete ? { report: 'Pagination complete' } : {}) });
};
