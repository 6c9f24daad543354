import { Context, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { EntryRequest } from '../../packages/contracts/entry-activities.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { PipelineActivities } from '../../packages/contracts/pipeline-activities.ts';
import { logPrefix, setLogFields } from '../../packages/observability/log-fields.ts';
import type { LogFields } from '../../packages/observability/log-fields.ts';
import { ATTRIBUTES, SPANS, withSpan } from '../../packages/observability/spans.ts';
import type { Runner } from './definition.ts';
import type { LoadRun } from './runs.ts';

type Verb = keyof PipelineActivities;

/** The request of any verb, as far as watching needs it. */
interface AnyRequest {
  readonly owner?: EntryRequest['owner'];
  readonly run?: string;
  readonly itemId?: string;
  readonly itemIds?: readonly string[];
}

interface Watched {
  readonly layer: LogFields['layer'];
  /** Unset: no span. A reading of progress is none of the run's work, and an item's span is made around the author's code, alone or in a slice. */
  readonly span?: (typeof SPANS)[keyof typeof SPANS];
  readonly isForItems?: true;
}

const WATCHED: Readonly<Record<Verb, Watched>> = {
  preflight: { layer: 'process', span: SPANS.preflight },
  countEligible: { layer: 'process', span: SPANS.count },
  listPage: { layer: 'paginate', span: SPANS.page },
  executeItem: { layer: 'execute', isForItems: true },
  executeSlice: { layer: 'execute', span: SPANS.chunk, isForItems: true },
  readProgress: { layer: 'process' },
  finalize: { layer: 'process', span: SPANS.finalize },
};

/** First run id of the chain that asks; the run's row is read once per process, and by the activity anyway. */
const runIdOf = async <F extends FieldSpecs>(loadRun: LoadRun<F>, verb: Verb, { owner, run }: AnyRequest): Promise<string | undefined> => {
  if (verb === 'readProgress' || run === undefined) return owner?.firstRunId;
  return (await loadRun(run)).stored.firstRunId;
};

/** Watches activities of one pipeline: fields of their log entries, their spans, and how long those for items waited in the queue. */
export const createWatch = <F extends FieldSpecs>({ contract, deps }: Runner<F>, loadRun: LoadRun<F>) => {
  const { type: pipeline, entity } = contract;
  return async <T>(verb: Verb, request: AnyRequest, work: () => Promise<T>): Promise<T> => {
    const context = Context.current();
    const { layer, span: name, isForItems } = WATCHED[verb];
    if (isForItems === true) deps.meter.itemsWaited(pipeline, Date.now() - context.info.currentAttemptScheduledTimestampMs);
    const fields = { pipeline, layer, ...(request.itemId === undefined ? {} : { itemId: request.itemId }) };
    setLogFields(context, fields);
    const runId = await runIdOf(loadRun, verb, request);
    if (runId !== undefined) setLogFields(context, { ...fields, runId });
    if (request.itemIds !== undefined) log.debug(`${logPrefix(entity, layer)} Processing items:`, { items: request.itemIds.length });
    try {
      if (name === undefined) return await work();
      const attributes = {
        [ATTRIBUTES.pipeline]: pipeline,
        [ATTRIBUTES.layer]: layer,
        [ATTRIBUTES.workflowId]: context.info.workflowExecution?.workflowId,
        [ATTRIBUTES.runId]: runId,
        [ATTRIBUTES.items]: request.itemIds?.length,
      };
      return await withSpan({ name, attributes }, work);
    } catch (error) {
      if (verb === 'executeItem' && error instanceof ApplicationFailure && error.nonRetryable === true)
        log.warn(`${logPrefix(entity, layer, 'error')} Item failed:`, { errorType: error.type, error: error.message });
      throw error;
    }
  };
};
