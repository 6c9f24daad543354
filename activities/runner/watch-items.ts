import { Context, log } from '@temporalio/activity';
import { ITEM_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import { logPrefix } from '../../packages/observability/log-fields.ts';
import { ATTRIBUTES, SPANS, withSpan } from '../../packages/observability/spans.ts';
import type { ItemContext, ItemOutcome, PipelineDefinition, Runner } from './definition.ts';
import { classifyItemError } from './failures.ts';
import type { LoadRun } from './runs.ts';

const describe = (error: unknown): { readonly type: string; readonly message: string } => {
  const { type, message } = classifyItemError(error);
  return { type: type ?? 'Error', message };
};

/** Whether this was the item's last word: what a provider's limit refused comes again, whatever the attempt. */
const isFinal = <F extends FieldSpecs>(error: unknown, { isLastAttempt, signal }: ItemContext<F>): boolean => {
  if (signal.aborted) return false;
  const { type, retryable } = classifyItemError(error);
  return !retryable || (isLastAttempt && type !== ITEM_FAILURES.rateLimited);
};

const isInSlice = (): boolean => Context.current().info.activityType.endsWith('.executeSlice');

/**
 * The author's definition with each execution of an item watched, alike in both ways of dispatch: a span, metrics, and log entries: a failure for good is a
 * warning, all else is for debugging, since there may be thousands a second.
 */
export const watchItems = <F extends FieldSpecs>({ contract, definition, deps }: Runner<F>, loadRun: LoadRun<F>): PipelineDefinition<F> => {
  const { type: pipeline, entity } = contract;
  const executeItem = async (item: ItemContext<F>): Promise<ItemOutcome> => {
    const { itemId, attempt } = item;
    const { stored } = await loadRun(item.run);
    const fields = { pipeline, layer: 'execute', runId: stored.firstRunId, itemId, itemAttempt: attempt };
    const attributes = {
      [ATTRIBUTES.pipeline]: pipeline,
      [ATTRIBUTES.layer]: 'execute',
      [ATTRIBUTES.runId]: stored.firstRunId,
      [ATTRIBUTES.itemId]: itemId,
      [ATTRIBUTES.attempt]: attempt,
    };
    const ended = deps.meter.itemStarted(pipeline, attempt);
    if (deps.logsItems === true) log.debug(`${logPrefix(entity, 'execute')} Starting with payload:`, fields);
    try {
      return await withSpan({ name: SPANS.item, attributes, describe }, async (span) => {
        const outcome = await definition.executeItem(item);
        span.setAttribute(ATTRIBUTES.outcome, outcome.kind);
        if (deps.logsItems === true) log.debug(`${logPrefix(entity, 'execute')} Completed:`, { ...fields, outcome: outcome.kind });
        return outcome;
      });
    } catch (error) {
      const { type: errorType, message } = describe(error);
      const failed = isFinal(error, item) ? 'Item failed:' : 'Attempt failed:';
      // An item with an activity of its own is told of by that activity, which also knows of failures outside the author's code.
      const level = isFinal(error, item) && isInSlice() ? 'warn' : 'debug';
      log[level](`${logPrefix(entity, 'execute', 'error')} ${failed}`, { ...fields, errorType, error: message });
      throw error;
    } finally {
      ended();
    }
  };
  // Derived, so that a definition with a class behind it keeps its methods.
  return Object.assign(Object.create(definition) as PipelineDefinition<F>, { executeItem });
};
