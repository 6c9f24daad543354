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
import { LaneStarts } from '../flow-control/lane-starts.ts';
import { addItemCounts } from './item-counts.ts';
import { runItem } from './item-lane.ts';

const IDLE_LANES_AFTER = '1 second';
/** A lane without start times says so after this time, then ever more rarely. */
const NUDGE_AFTER_MS = 1_000;
const NUDGE_AFTER_MOST_MS = 60_000;

const pauseSignal = defineSignal(MESSAGES.pause);
const resumeSignal = defineSignal(MESSAGES.resume);
const stopSignal = defineSignal(MESSAGES.stop);
const dealSignal = defineSignal<[ChunkDeal]>(FLOW_MESSAGES.deal);

/** A chunk at work; lanes and handlers share it. */
interface ChunkStory {
  readonly input: ChunkInput;
  readonly calls: PipelineCalls;
  /** Null: items start at once. */
  starts: LaneStarts | null;
  counts: ItemCounts;
  /** For how long ended items have kept their lanes, and how many they were. */
  busyMs: number;
  ended: number;
  next: number;
  lanes: number;
  target: number;
  /** Lanes given up that the parent does not know of yet. */
  freed: number;
  /** Starts lanes. */
  start: (lanes: number) => void;
  paused: boolean;
  isStopping: boolean;
  stop: StopReason | undefined;
}

const isStopped = ({ isStopping, stop }: ChunkStory): boolean => isStopping || stop !== undefined || CancellationScope.current().consideredCancelled;

const mayGoOn = (story: ChunkStory): boolean => !isStopped(story) && story.next < story.input.itemIds.length;

/** Tells the parent of lanes given up and of start times that it needs; one that is gone needs to hear nothing. */
const report = (story: ChunkStory, isDry = false): void => {
  const { parent } = workflowInfo();
  const { page, chunk } = story.input;
  const starts = story.starts?.claim(story.lanes) ?? 0;
  const freed = story.freed;
  story.freed = 0;
  if (parent === undefined || (starts === 0 && freed === 0 && !isDry)) return;
  getExternalWorkflowHandle(parent.workflowId)
    .signal(FLOW_MESSAGES.chunkNeed, { page, chunk, freed, starts, laneMs: Math.round(story.busyMs / Math.max(1, story.ended)) })
    .catch(() => undefined);
};

/** Waits for a start time (null: at once); undefined when the lane ends without one. */
const nextStart = async (story: ChunkStory): Promise<number | null | undefined> => {
  const isOver = (): boolean => !mayGoOn(story) || story.lanes > story.target;
  for (let nudgeMs = NUDGE_AFTER_MS; !isOver();) {
    if (story.starts === null) return null;
    const start = story.starts.take(Date.now());
    report(story);
    if (start !== undefined) return start;
    const isMet = await condition(() => isOver() || story.starts === null || story.starts.has(), nudgeMs);
    if (isMet) continue;
    // What the parent has may have been kept for others, or have gone by while nothing woke it.
    report(story, true);
    nudgeMs = Math.min(NUDGE_AFTER_MOST_MS, nudgeMs * 2);
  }
  return undefined;
};

/** Takes start times in; a limit may have got a rate, or lost it, since the chunk began. */
const takeStarts = (story: ChunkStory, times: readonly number[] | null): void => {
  if (times === null) story.starts = null;
  else if (story.starts === null) story.starts = new LaneStarts({ times, left: story.input.itemIds.length - story.next, owed: 0 });
  else story.starts.add(times);
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
    const notBefore = await nextStart(story);
    if (notBefore === undefined) continue;
    const itemId = mayGoOn(story) ? input.itemIds[story.next++] : undefined;
    if (itemId === undefined) return;
    const beganMs = Math.max(Date.now(), notBefore ?? 0);
    const end = await runItem({ calls, run: input.run, itemId, plan: input.plan, notBefore: notBefore ?? undefined });
    story.busyMs += Math.max(0, Date.now() - beganMs);
    story.ended++;
    story.counts = addItemCounts(story.counts, end.counts);
    story.stop = end.stop ?? story.stop;
  }
};

/** Runs all lanes to their ends, those that are lent meanwhile included; answers what they threw. */
const runLanes = async (story: ChunkStory): Promise<readonly unknown[]> => {
  const faults: unknown[] = [];
  let running = 0;
  const ended = new Promise<void>((resolve) => {
    story.start = (lanes) => {
      running += lanes;
      for (let lane = 0; lane < lanes; lane++)
        void runLane(story)
          .catch((error: unknown) => faults.push(error))
          .finally(() => {
            running--;
            if (running === 0) resolve();
          });
    };
  });
  // Where there is a lane for each item, lanes are not scarce and nobody waits for these.
  const isScarce = story.lanes < story.input.itemIds.length;
  story.start(story.lanes);
  const idling = new CancellationScope();
  const freeing = isScarce ? idling.run(() => freeIdleLanes(story, () => running)).catch(() => undefined) : undefined;
  await ended;
  idling.cancel();
  await freeing;
  return faults;
};

/** Takes lanes that are lent to this chunk; where nothing is left to take they go back at once. */
const takeLanes = (story: ChunkStory, more: number): void => {
  if (!mayGoOn(story)) {
    story.freed += more;
    return report(story);
  }
  story.target += more;
  story.lanes += more;
  story.start(more);
};

const listen = (story: ChunkStory): void => {
  setHandler(pauseSignal, () => void (story.paused = true));
  setHandler(resumeSignal, () => void (story.paused = false));
  setHandler(stopSignal, () => void (story.isStopping = true));
  setHandler(dealSignal, ({ more, lanes, starts }) => {
    if (more !== undefined) takeLanes(story, more);
    if (lanes !== undefined) story.target = Math.min(story.target, lanes);
    if (starts !== undefined) takeStarts(story, starts);
  });
};

/**
 * The chunk child: walks its ids in `concurrency` lanes, one activity an item. Pause keeps the ids and waits; stop and cancel start
 * nothing more, let running items end and still answer the counters, so that nothing is lost from the sum.
 */
export const runChunk = async (input: ChunkInput): Promise<ChunkReceipt> => {
  const items = input.itemIds.length;
  const lanes = Math.min(input.concurrency, items);
  const story: ChunkStory = {
    input,
    calls: pipelineCalls({ type: input.pipeline, entity: input.entity }),
    starts: input.starts === undefined ? null : new LaneStarts({ times: input.starts, left: items, owed: items - input.starts.length }),
    counts: NO_ITEMS,
    busyMs: 0,
    ended: 0,
    next: 0,
    lanes,
    target: lanes,
    freed: 0,
    start: () => undefined,
    paused: input.paused,
    isStopping: false,
    stop: undefined,
  };
  listen(story);
  const faults = await runLanes(story);
  for (const fault of faults) if (!isCancellation(fault)) throw fault;
  const status = isStopped(story) ? 'abort' : 'success';
  metricMeter.createCounter(PIPELINE_EVENTS).add(1, { pipeline: input.pipeline, layer: 'execute', operation: 'chunk', status, error_type: '' });
  const gaveUp = mayGoOn(story) ? ({ gaveUp: true } as const) : {};
  return { ...story.counts, ...(story.stop === undefined ? {} : { stop: story.stop }), ...gaveUp };
};
