import {
  CancellationScope,
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  metricMeter,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ChunkInput, ChunkReceipt } from '../contracts/chunk.ts';
import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import type { ChunkDeal } from '../contracts/flow-messages.ts';
import { MESSAGES } from '../contracts/messages.ts';
import { PIPELINE_EVENTS } from '../contracts/metrics.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import type { ItemCounts } from '../contracts/counts.ts';
import type { StopReason } from '../contracts/item-activities.ts';
import { pipelineCalls } from './activity-proxies.ts';
import type { PipelineCalls } from './activity-proxies.ts';
import { LaneStarts } from './lane-starts.ts';
import { addItemCounts } from './item-counts.ts';
import { runItem } from './item-lane.ts';

const IDLE_LANES_AFTER = '1 second';

const pauseSignal = defineSignal(MESSAGES.pause);
const resumeSignal = defineSignal(MESSAGES.resume);
const stopSignal = defineSignal(MESSAGES.stop);
const dealSignal = defineSignal<[ChunkDeal]>(FLOW_MESSAGES.deal);

/** A chunk at work; lanes and handlers share it. */
interface ChunkStory {
  readonly input: ChunkInput;
  readonly calls: PipelineCalls;
  readonly starts: LaneStarts | null;
  counts: ItemCounts;
  next: number;
  lanes: number;
  target: number;
  /** Lanes given up that the parent does not know of yet. */
  freed: number;
  paused: boolean;
  isStopping: boolean;
  stop: StopReason | undefined;
}

const isStopped = ({ isStopping, stop }: ChunkStory): boolean => isStopping || stop !== undefined || CancellationScope.current().consideredCancelled;

const mayGoOn = (story: ChunkStory): boolean => !isStopped(story) && story.next < story.input.itemIds.length;

/** Tells the parent of lanes given up and of start times that it needs; one that is gone needs to hear nothing. */
const report = (story: ChunkStory): void => {
  const { parent } = workflowInfo();
  const { page, chunk, itemIds } = story.input;
  const starts = story.starts?.claim(itemIds.length - story.next) ?? 0;
  const freed = story.freed;
  story.freed = 0;
  if (parent === undefined || (starts === 0 && freed === 0)) return;
  getExternalWorkflowHandle(parent.workflowId)
    .signal(FLOW_MESSAGES.chunkNeed, { page, chunk, freed, starts })
    .catch(() => undefined);
};

/** Waits for a start time; undefined when the chunk ends without one. */
const nextStart = async (story: ChunkStory, starts: LaneStarts): Promise<number | undefined> => {
  for (;;) {
    const start = starts.take(Date.now());
    if (starts.isLow()) report(story);
    if (start !== undefined) return start;
    await condition(() => starts.has() || !mayGoOn(story) || story.lanes > story.target);
    if (!mayGoOn(story) || story.lanes > story.target) return undefined;
  }
};

/** Gives up lanes that have nothing left to take, once they have idled for a second: while a slow item ends, others can use them. */
const freeIdleLanes = async (story: ChunkStory, lanesRunning: () => number): Promise<void> => {
  for (;;) {
    await condition(() => lanesRunning() < story.lanes);
    await sleep(IDLE_LANES_AFTER, { summary: 'idle lanes' });
    story.freed += story.lanes - lanesRunning();
    story.lanes = lanesRunning();
    report(story);
  }
};

/** One lane: takes the next id when it has finished one; gives itself up where the chunk has more lanes than it may keep. */
const runLane = async (story: ChunkStory): Promise<void> => {
  const { calls, input } = story;
  while (mayGoOn(story)) {
    if (story.paused) await condition(() => !story.paused || isStopped(story));
    if (story.lanes > story.target) {
      story.lanes--;
      story.freed++;
      return report(story);
    }
    const notBefore = story.starts === null ? undefined : await nextStart(story, story.starts);
    if (story.starts !== null && notBefore === undefined) continue;
    const itemId = mayGoOn(story) ? input.itemIds[story.next++] : undefined;
    if (itemId === undefined) return;
    const end = await runItem({ calls, run: input.run, itemId, plan: input.plan, notBefore });
    story.counts = addItemCounts(story.counts, end.counts);
    story.stop = end.stop ?? story.stop;
  }
};

/** Runs all lanes to their ends. */
const runLanes = async (story: ChunkStory): Promise<readonly PromiseSettledResult<void>[]> => {
  let running = story.lanes;
  const lanes = Array.from({ length: running }, () => runLane(story).finally(() => void running--));
  const idling = new CancellationScope();
  // Where there was a lane for each item, lanes are not scarce and nobody waits for these.
  const isScarce = running < story.input.itemIds.length;
  const freeing = isScarce ? idling.run(() => freeIdleLanes(story, () => running)).catch(() => undefined) : undefined;
  const ended = await Promise.allSettled(lanes);
  idling.cancel();
  await freeing;
  return ended;
};

const listen = (story: ChunkStory): void => {
  setHandler(pauseSignal, () => void (story.paused = true));
  setHandler(resumeSignal, () => void (story.paused = false));
  setHandler(stopSignal, () => void (story.isStopping = true));
  setHandler(dealSignal, ({ lanes, starts }) => {
    if (lanes !== undefined) story.target = Math.min(story.target, lanes);
    if (starts !== undefined) story.starts?.add(starts);
  });
};

/**
 * The chunk child: walks its ids in `concurrency` lanes, one activity an item. Pause keeps the ids and waits; stop and cancel start
 * nothing more, let running items end and still answer the counters, so that nothing is lost from the sum.
 */
export const runChunk = async (input: ChunkInput): Promise<ChunkReceipt> => {
  const lanes = Math.min(input.concurrency, input.itemIds.length);
  const story: ChunkStory = {
    input,
    calls: pipelineCalls({ type: input.pipeline, entity: input.entity }),
    starts: input.starts === undefined ? null : new LaneStarts(input.starts, lanes),
    counts: NO_ITEMS,
    next: 0,
    lanes,
    target: lanes,
    freed: 0,
    paused: input.paused,
    isStopping: false,
    stop: undefined,
  };
  listen(story);
  const ended = await runLanes(story);
  for (const each of ended) if (each.status === 'rejected' && !isCancellation(each.reason)) throw each.reason;
  const status = isStopped(story) ? 'abort' : 'success';
  metricMeter.createCounter(PIPELINE_EVENTS).add(1, { pipeline: input.pipeline, layer: 'execute', operation: 'chunk', status, error_type: '' });
  const gaveUp = mayGoOn(story) ? ({ gaveUp: true } as const) : {};
  return { ...story.counts, ...(story.stop === undefined ? {} : { stop: story.stop }), ...gaveUp };
};
