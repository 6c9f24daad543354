import { condition, defineSignal, executeChild, proxyActivities, setHandler } from '@temporalio/workflow';

/** What the floor's worker does for an item: one UPDATE, and before it whatever time the item takes. */
interface FloorActivities {
  update(itemId: string, sleepMs: number): Promise<void>;
}

/** Items that one workflow executes, an activity each, so many at a time. */
export interface FloorChunk {
  readonly itemIds: readonly string[];
  readonly lanes: number;
  readonly sleepMs: number;
}

/** Items that a parent cuts into chunk children. */
export interface FloorRun extends FloorChunk {
  readonly chunkSize: number;
  readonly chunksInFlight: number;
}

const { update } = proxyActivities<FloorActivities>({ startToCloseTimeout: '1 minute', retry: { maximumAttempts: 5 } });

/** Hands the elements of a list to so many lanes; each takes the next when it has finished one. */
const inLanes = async <T>(list: readonly T[], lanes: number, work: (element: T) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < list.length) await work(list[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, list.length) }, lane));
};

/** One workflow, an activity per item: the floor of a capped run, and the chunk of an uncapped one. */
export async function floorLanes({ itemIds, lanes, sleepMs }: FloorChunk): Promise<number> {
  await inLanes(itemIds, lanes, (itemId) => update.executeWithOptions({ summary: itemId }, [itemId, sleepMs]));
  return itemIds.length;
}

/** A parent that cuts its items into chunk children and keeps so many of them in flight. */
export async function floorRun({ itemIds, chunkSize, chunksInFlight, lanes, sleepMs }: FloorRun): Promise<number> {
  const chunks = Array.from({ length: Math.ceil(itemIds.length / chunkSize) }, (_, index) =>
    itemIds.slice(index * chunkSize, (index + 1) * chunkSize),
  );
  await inLanes(chunks, chunksInFlight, (chunk) => executeChild(floorLanes, { args: [{ itemIds: chunk, lanes, sleepMs }] }));
  return itemIds.length;
}

const wake = defineSignal('wake');

/** What a scope would be without an inbox: it hears signals and ends when none has come for a while. */
export async function floorScope(idleMs: number): Promise<number> {
  let [heard, seen] = [0, -1];
  setHandler(wake, () => void heard++);
  while (heard !== seen) {
    seen = heard;
    await condition(() => heard !== seen, idleMs);
  }
  return heard;
}
