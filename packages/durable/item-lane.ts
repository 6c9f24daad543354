import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { TRANSIENT_FAILURES } from '../contracts/failures.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import type { ItemCounts } from '../contracts/counts.ts';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { ItemFailureDetails, StopReason } from '../contracts/item-activities.ts';
import type { PipelineCalls } from './activity-proxies.ts';

/** How one item ended for the workflow that scheduled it, and whether the run stops with it. */
export interface ItemEnd {
  readonly counts: ItemCounts;
  readonly stop?: StopReason;
}

const one = (counter: keyof ItemCounts, stop?: StopReason): ItemEnd => ({
  counts: { ...NO_ITEMS, [counter]: 1 },
  ...(stop === undefined ? {} : { stop }),
});

const endOfFailure = (error: unknown): ItemEnd => {
  if (isCancellation(error)) return one('interrupted');
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    if (cause.type === TRANSIENT_FAILURES.databaseUnavailable) return { counts: NO_ITEMS, stop: 'databaseUnavailable' };
    if (cause.type === TRANSIENT_FAILURES.claimHeld) return one('skipped');
    const [details] = (cause.details ?? []) as readonly (ItemFailureDetails | undefined)[];
    return one('failed', details?.stop);
  }
  if (cause instanceof TimeoutFailure) return one('failed');
  throw error;
};

/** Schedules one item and waits for its end; a failed item is a count, an aborted one `interrupted`, and nothing here stops the others. */
export const runItem = async ({
  calls,
  run,
  itemId,
  plan,
  notBefore,
}: {
  readonly calls: PipelineCalls;
  readonly run: string;
  readonly itemId: string;
  readonly plan: Pick<RunPlan, 'itemTimeoutMs' | 'heartbeatTimeoutMs'>;
  /** Start time of its first attempt, server time in ms; undefined: at once. */
  readonly notBefore?: number | undefined;
}): Promise<ItemEnd> => {
  try {
    const receipt = await calls.executeItem(
      { run, itemId, dryRun: false, timeoutMs: plan.itemTimeoutMs, ...(notBefore === undefined ? {} : { notBefore }) },
      plan,
    );
    if (receipt.outcome === 'notStarted') return { counts: NO_ITEMS, stop: receipt.stop ?? 'aborted' };
    return one(receipt.outcome === 'done' ? 'succeeded' : 'skipped');
  } catch (error) {
    return endOfFailure(error);
  }
};
