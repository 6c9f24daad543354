import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Counted, EntryRequest } from '../../packages/contracts/entry-activities.ts';
import { ITEM_FAILURES, TRANSIENT_FAILURES } from '../../packages/contracts/failures.ts';
import type { ItemReceipt, SliceReceipt } from '../../packages/contracts/item-activities.ts';
import type { PipelineEvent } from '../../packages/contracts/metrics.ts';
import type { PipelineActivities } from '../../packages/contracts/pipeline-activities.ts';
import type { ItemEndOutcome } from '../../packages/observability/pipeline-meter.ts';
import type { RunnerDeps } from './definition.ts';

type Verb = keyof PipelineActivities;
type Labels = Pick<PipelineEvent, 'layer' | 'operation'>;
type Ending = Pick<PipelineEvent, 'status' | 'errorType'>;

const OPERATIONS: Partial<Record<Verb, Labels>> = {
  preflight: { layer: 'process', operation: 'trigger' },
  countEligible: { layer: 'process', operation: 'entry' },
  listPage: { layer: 'paginate', operation: 'page' },
  executeItem: { layer: 'execute', operation: 'item' },
  executeSlice: { layer: 'execute', operation: 'item' },
  finalize: { layer: 'process', operation: 'finalize' },
};

const DEFERRED = new Set<string>([ITEM_FAILURES.rateLimited, TRANSIENT_FAILURES.claimHeld, TRANSIENT_FAILURES.databaseUnavailable]);

/** An item that will be tried again has not failed: both ways of dispatch count it as deferred. */
const endingOf = (verb: Verb, error: unknown): Ending => {
  if (error instanceof CancelledFailure) return { status: 'abort' };
  const errorType = (error instanceof ApplicationFailure ? error.type : null) ?? 'Error';
  const comesAgain = verb === 'executeItem' && error instanceof ApplicationFailure && error.nonRetryable !== true;
  return { status: comesAgain || DEFERRED.has(errorType) ? 'deferred' : 'error', errorType };
};

const OUTCOMES: Partial<Record<PipelineEvent['status'], ItemEndOutcome>> = { error: 'failed', abort: 'interrupted' };

const isRedrive = ({ args }: EntryRequest): boolean => {
  const [input] = args;
  return typeof input === 'object' && input !== null && 'redriveOf' in input;
};

export interface EventCounter {
  ended(verb: Verb, request: unknown, answer: unknown): void;
  failed(verb: Verb, error: unknown): void;
}

/** Counts how a pipeline's activities ended; a slice counts its items. */
export const createEventCounter = (pipeline: string, { record, meter }: Pick<RunnerDeps, 'record' | 'meter'>): EventCounter => {
  const sliceEnded = (labels: Labels, { succeeded, skipped, failed, interrupted, retry }: SliceReceipt): void => {
    const counts = { success: succeeded + skipped, error: failed, abort: interrupted, deferred: retry.length };
    for (const [status, count] of Object.entries(counts))
      if (count > 0) record({ pipeline, ...labels, status: status as PipelineEvent['status'] }, count);
    for (const [outcome, count] of Object.entries({ done: succeeded, skipped, failed, interrupted }))
      meter.itemsEnded(pipeline, outcome as ItemEndOutcome, count);
  };
  return {
    ended: (verb, request, answer) => {
      const labels = OPERATIONS[verb];
      if (labels === undefined) return;
      if (verb === 'executeSlice') return sliceEnded(labels, answer as SliceReceipt);
      const outcome = verb === 'executeItem' ? (answer as ItemReceipt).outcome : undefined;
      record({ pipeline, ...labels, status: outcome === 'notStarted' ? 'abort' : 'success' });
      if (outcome !== undefined && outcome !== 'notStarted') meter.itemsEnded(pipeline, outcome, 1);
      if (verb === 'countEligible' && (answer as Counted).run !== null && isRedrive(request as EntryRequest)) meter.redriven(pipeline);
    },
    failed: (verb, error) => {
      const labels = OPERATIONS[verb];
      if (labels === undefined) return;
      const ending = endingOf(verb, error);
      record({ pipeline, ...labels, ...ending });
      const outcome = verb === 'executeItem' ? OUTCOMES[ending.status] : undefined;
      if (outcome !== undefined) meter.itemsEnded(pipeline, outcome, 1);
    },
  };
};
