import { ApplicationFailure } from '@temporalio/common';
import { RUN_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import type { StoredRun } from '../../packages/database/run-store.ts';
import { findRun } from '../../packages/database/run-store.ts';
import type { KeysetSource, Selection } from '../../packages/database/eligible.ts';
import { failedItemsSource } from '../../packages/database/failed-items.ts';
import type { Runner } from './definition.ts';

const CACHED_RUNS = 200;

/** What activities need of an open run; it does not change while the run is open, so each process reads it once. */
export interface KnownRun<F extends FieldSpecs> {
  readonly stored: StoredRun;
  readonly input: PipelineInput<F>;
}

export type LoadRun<F extends FieldSpecs> = (id: string) => Promise<KnownRun<F>>;

/** Loads open runs by row id through a small cache; a row that is gone is an internal error, since only the entry hands out ids. */
export const createRunLoader = <F extends FieldSpecs>({ contract, deps }: Runner<F>): LoadRun<F> => {
  const cache = new Map<string, KnownRun<F>>();
  return async (id) => {
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const stored = await findRun(deps.db, id);
    if (stored === undefined || stored.pipeline !== contract.type)
      throw ApplicationFailure.nonRetryable(`run row ${id} does not exist`, RUN_FAILURES.internalError);
    const known = { stored, input: stored.input as PipelineInput<F> };
    if (cache.size >= CACHED_RUNS) cache.delete(cache.keys().next().value as string);
    cache.set(id, known);
    return known;
  };
};

/** The rows that an input selects: the author's query, or exactly the failed items of the epoch for a redrive. */
export const selectFor = <F extends FieldSpecs>(
  { contract, definition }: Runner<F>,
  { input, epochId, run }: { readonly input: PipelineInput<F>; readonly epochId: string | null; readonly run: string | null },
): Selection => {
  const isRedrive = input.redriveOf !== undefined;
  const source: KeysetSource = isRedrive ? failedItemsSource(epochId, run) : definition.eligible(input);
  return {
    source,
    epochId: isRedrive ? null : epochId,
    itemIds: input.itemIds ?? null,
    retryFailed: contract.retryFailed,
  };
};
