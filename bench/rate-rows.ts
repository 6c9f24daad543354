import type { BenchContext } from './context.ts';
import { allowanceMs, within } from './deadline.ts';
import { checkFloorItems, seedFloorItems, updateFloorItem } from './floor-items.ts';
import { findLimitFault } from './limiter.ts';
import type { RateRowName } from './row-names.ts';
import type { Sizes } from './sizes.ts';
import { freshName, prepareTrial } from './trial.ts';

/** Chunks and window of the probe by default, for the floor: 8 chunks of 20 share 100 items in flight. */
const FLOOR_PLAN = { chunkSize: 20, chunksInFlight: 8, lanes: 13 } as const;

/** What a run of cheap, many items says. */
const SLICE_PLAN = { dispatch: 'slice', pageSize: 2_500, chunkSize: 250 } as const;

const CAP = 10;

/** A row's work on rows of its own, seeded and ready to go. */
export interface RateWork {
  run(): Promise<unknown>;
  /** Throws if work was lost or done twice; answers why the row does not count, if so. */
  check(): Promise<string | undefined>;
}

/** A row that is a rate of items. */
export interface RateRow {
  /** Which process does the work: this one, the raw SDK's worker, or Strata's. */
  readonly by: 'self' | 'floorWorker' | 'worker';
  readonly items: (sizes: Sizes) => number;
  readonly prepare: (context: BenchContext, items: number) => Promise<RateWork>;
}

/** What a floor workflow is given besides the numbers of its type: see bench/floor. */
interface FloorInput extends Readonly<Record<string, unknown>> {
  readonly itemIds: readonly string[];
  readonly lanes: number;
  readonly sleepMs: number;
}

/** Starts a floor workflow and waits for its end. */
export const runFloor = (context: BenchContext, type: 'floorRun' | 'floorLanes', input: FloorInput): Promise<unknown> => {
  const { client, floorQueue } = context.stack;
  const running = client.workflow.execute(type, { workflowId: freshName(type), taskQueue: floorQueue, args: [input] });
  return within({ what: type, timeoutMs: allowanceMs(input.itemIds.length), signal: context.signal }, running);
};

const floor = (work: (context: BenchContext, itemIds: readonly string[]) => Promise<unknown>): RateRow['prepare'] => {
  return async (context, items) => {
    const itemIds = await seedFloorItems(context.stack.pool, items);
    const check = async (): Promise<undefined> => {
      await checkFloorItems(context.stack.pool);
    };
    return { run: () => work(context, itemIds), check };
  };
};

/** A plain loop over the rows, so many at a time, no durability. */
const updateInLanes = async ({ stack, signal }: BenchContext, itemIds: readonly string[]): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < itemIds.length && !signal.aborted) await updateFloorItem(stack.pool, itemIds[next++] as string);
  };
  await Promise.all(Array.from({ length: CAP }, lane));
  signal.throwIfAborted();
};

const probe = (label: string, input: Readonly<Record<string, unknown>>, cap?: number): RateRow['prepare'] => {
  return async (context, items) => {
    const limit = cap === undefined ? {} : { parallelism: cap, flowKey: freshName(`bench-${label}`) };
    const trial = await prepareTrial(context, { label, items, input: { ...input, ...limit } });
    return {
      run: trial.run,
      check: async () => {
        await trial.check();
        return limit.flowKey === undefined ? undefined : findLimitFault(context.stack.client, limit.flowKey);
      },
    };
  };
};

const byItem = ({ byItem: items }: Sizes): number => items;
const bySlice = ({ bySlice: items }: Sizes): number => items;

/** The rate rows by name. */
export const rateRows: Readonly<Record<RateRowName, RateRow>> = {
  floorPg: { by: 'self', items: bySlice, prepare: floor(updateInLanes) },
  floorTemporal: {
    by: 'floorWorker',
    items: byItem,
    prepare: floor((context, itemIds) => runFloor(context, 'floorRun', { itemIds, sleepMs: 0, ...FLOOR_PLAN })),
  },
  floorTemporalCap: {
    by: 'floorWorker',
    items: byItem,
    prepare: floor((context, itemIds) => runFloor(context, 'floorLanes', { itemIds, sleepMs: 0, lanes: CAP })),
  },
  item: { by: 'worker', items: byItem, prepare: probe('item', { dispatch: 'item' }) },
  itemCap: { by: 'worker', items: byItem, prepare: probe('item-cap', { dispatch: 'item' }, CAP) },
  slice: { by: 'worker', items: bySlice, prepare: probe('slice', SLICE_PLAN) },
  sliceCap: { by: 'worker', items: bySlice, prepare: probe('slice-cap', SLICE_PLAN, CAP) },
  sliceTx: { by: 'worker', items: bySlice, prepare: probe('slice-tx', { ...SLICE_PLAN, commit: 'transaction' }) },
};
