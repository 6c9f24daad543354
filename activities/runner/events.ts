import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { ITEM_FAILURES, TRANSIENT_FAILURES } from '../../packages/contracts/failures.ts';
import type { PipelineEvent } from '../../packages/contracts/metrics.ts';
import type { SliceReceipt } from '../../packages/contracts/item-activities.ts';
import type { PipelineActivities } from '../../packages/contracts/pipeline-activities.ts';
import type { RecordEvents } from '../../packages/observability/pipeline-events.ts';

type Verb = keyof PipelineActivities;
type Labels = Pick<PipelineEvent, 'layer' | 'operation'>;

const OPERATIONS: Partial<Record<Verb, Labels>> = {
  preflight: { layer: 'process', operation: 'trigger' },
  countEligible: { layer: 'process', operation: 'entry' },
  listPage: { layer: 'paginate', operation: 'page' },
  executeItem: { layer: 'execute', operation: 'item' },
  executeSlice: { layer: 'execute', operation: 'item' },
  finalize: { layer: 'process', operation: 'finalize' },
};

const DEFERRED = new Set<string>([ITEM_FAILURES.rateLimited, TRANSIENT_FAILURES.claimHeld, TRANSIENT_FAILURES.databaseUnavailable]);

const statusOf = (error: unknown): Pick<PipelineEvent, 'status' | 'errorType'> => {
  if (error instanceof CancelledFailure) return { status: 'abort' };
  const errorType = (error instanceof ApplicationFailure ? error.type : null) ?? 'Error';
  return { status: DEFERRED.has(errorType) ? 'deferred' : 'error', errorType };
};

export interface EventCounter {
  ended(verb: Verb, answer: unknown): void;
  failed(verb: Verb, error: unknown): void;
}

/** Counts how a pipeline's activities ended; a slice counts its items. */
export const createEventCounter = (pipeline: string, record: RecordEvents): EventCounter => ({
  ended: (verb, answer) => {
    const labels = OPERATIONS[verb];
    if (labels === undefined) return;
    if (verb !== 'executeSlice') return record({ pipeline, ...labels, status: 'success' });
    const { succeeded, skipped, failed, interrupted, retry } = answer as SliceReceipt;
    const counts = { success: succeeded + skipped, error: failed, abort: interrupted, deferred: retry.length };
    for (const [status, count] of Object.entries(counts))
      if (count > 0) record({ pipeline, ...labels, status: status as PipelineEvent['status'] }, count);
  },
  failed: (verb, error) => {
    const labels = OPERATIONS[verb];
    if (labels !== undefined) record({ pipeline, ...labels, ...statusOf(error) });
  },
});
