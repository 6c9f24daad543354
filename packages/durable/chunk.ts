import { CancellationScope, condition, defineSignal, isCancellation, metricMeter, setHandler } from '@temporalio/workflow';
import type { ChunkInput, ChunkReceipt } from '../contracts/chunk.ts';
import { MESSAGES } from '../contracts/messages.ts';
import { PIPELINE_EVENTS } from '../contracts/metrics.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import type { ItemCounts } from '../contracts/counts.ts';
import type { StopReason } from '../contracts/item-activities.ts';
import { pipelineCalls } from './activity-proxies.ts';
import { addItemCounts } from './item-counts.ts';
import { runItem } from './item-lane.ts';

const pauseSignal = defineSignal(MESSAGES.pause);
const resumeSignal = defineSignal(MESSAGES.resume);
const stopSignal = defineSignal(MESSAGES.stop);

/**
 * The chunk child: walks its ids in `concurrency` lanes, one activity an item. Pause keeps the ids and waits; stop and cancel start
 * nothing more, let running items end and still answer the counters, so that nothing is lost from the sum.
 */
export const runChunk = async (input: ChunkInput): Promise<ChunkReceipt> => {
  let paused = input.paused;
  let stop: StopReason | undefined;
  let isStopping = false;
  let counts: ItemCounts = NO_ITEMS;
  let next = 0;
  setHandler(pauseSignal, () => void (paused = true));
  setHandler(resumeSignal, () => void (paused = false));
  setHandler(stopSignal, () => void (isStopping = true));
  const calls = pipelineCalls({ type: input.pipeline, entity: input.entity });
  const mayGoOn = (): boolean => !isStopping && stop === undefined && next < input.itemIds.length && !CancellationScope.current().consideredCancelled;
  const lane = async (): Promise<void> => {
    while (mayGoOn()) {
      if (paused) await condition(() => !paused || isStopping || stop !== undefined);
      const itemId = mayGoOn() ? input.itemIds[next++] : undefined;
      if (itemId === undefined) return;
      const end = await runItem({ calls, run: input.run, itemId, plan: input.plan });
      counts = addItemCounts(counts, end.counts);
      stop = end.stop ?? stop;
    }
  };
  const lanes = Array.from({ length: Math.min(input.concurrency, input.itemIds.length) }, lane);
  for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected' && !isCancellation(ended.reason)) throw ended.reason;
  const status = isStopping || stop !== undefined || CancellationScope.current().consideredCancelled ? 'abort' : 'success';
  metricMeter.createCounter(PIPELINE_EVENTS).add(1, { pipeline: input.pipeline, layer: 'execute', operation: 'chunk', status, error_type: '' });
  return { ...counts, ...(stop === undefined ? {} : { stop }) };
};
