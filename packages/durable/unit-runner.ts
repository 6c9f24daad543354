import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  sleep,
  startChild,
} from '@temporalio/workflow';
import type { ChildWorkflowHandle } from '@temporalio/workflow';
import { CHUNK_TYPE } from '../contracts/chunk.ts';
import type { ChunkInput, ChunkReceipt } from '../contracts/chunk.ts';
import { RUN_FAILURES, TRANSIENT_FAILURES } from '../contracts/failures.ts';
import { chunkWorkflowId } from '../contracts/ids.ts';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { SliceReceipt, SliceRetry, StopReason } from '../contracts/item-activities.ts';
import { NO_ITEMS } from '../contracts/counts.ts';
import type { ItemCounts } from '../contracts/counts.ts';
import { computeProcessed } from '../contracts/texts.ts';
import type { PipelineCalls } from './activity-proxies.ts';
import { runItem } from './item-lane.ts';
import type { ChildLabels } from './labels.ts';
import { runFailure } from './run-endings.ts';
import type { Takeoff } from './takeoff.ts';
import type { Unit } from './units.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

const ID_TAKEN_WAIT = '1 second';
const ID_TAKEN_TRIES = 120;
const CHUNK_TRIES = 3;

type Chunk = (input: ChunkInput) => Promise<ChunkReceipt>;

export type ChunkHandle = ChildWorkflowHandle<Chunk>;

/** How a unit ended: counters of what ended, ids to schedule again, and why the run stops if it does. */
export interface UnitEnd {
  readonly counts: ItemCounts;
  readonly again: readonly string[];
  readonly retry: readonly SliceRetry[];
  /** How long an item kept a lane, ms. */
  readonly laneMs?: number;
  readonly stop?: StopReason;
}

export interface UnitContext {
  readonly type: string;
  readonly entity: string;
  readonly calls: PipelineCalls;
  readonly run: string;
  readonly epoch: number;
  readonly scope: string;
  readonly plan: RunPlan;
  readonly labels: ChildLabels;
  readonly isPaused: () => boolean;
  readonly isStopping: () => boolean;
  /** Called when a chunk child has started, as running or paused, and again when it has ended. */
  readonly onChunk: (unit: Unit, handle: ChunkHandle, state: 'running' | 'paused' | 'ended') => void;
}

const endOf = (counts: ItemCounts, stop?: StopReason): UnitEnd => ({ counts, again: [], retry: [], ...(stop === undefined ? {} : { stop }) });

const runSlice = async ({ calls, run, plan, labels }: UnitContext, { unit, lanes: concurrency, starts }: Takeoff): Promise<UnitEnd> => {
  const { itemIds } = unit;
  const paced = starts === undefined ? {} : { starts };
  try {
    const receipt: SliceReceipt = await calls.executeSlice(
      { run, dryRun: false, itemIds, concurrency, itemTimeoutMs: plan.itemTimeoutMs, ...paced },
      plan,
      labels.unit(unit),
    );
    const { retry, notStarted: again, laneMs, stop, ...counts } = receipt;
    return { counts, again, retry, ...(laneMs === undefined ? {} : { laneMs }), ...(stop === undefined ? {} : { stop }) };
  } catch (error) {
    if (isCancellation(error)) return endOf(NO_ITEMS);
    const isOutage =
      error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === TRANSIENT_FAILURES.databaseUnavailable;
    if (!isOutage) throw error;
    return endOf(NO_ITEMS, 'databaseUnavailable');
  }
};

/** Starts the chunk child; a dead parent's child that still runs under the id is waited for. */
const startChunk = async (context: UnitContext, { unit, lanes, starts }: Takeoff, paused: boolean): Promise<ChunkHandle> => {
  const { type, entity, run, epoch, scope, plan, labels } = context;
  const input: ChunkInput = {
    pipeline: type,
    entity,
    run,
    dryRun: false,
    page: unit.page,
    chunk: unit.chunk,
    itemIds: unit.itemIds,
    concurrency: lanes,
    paused,
    ...(starts === undefined ? {} : { starts }),
    plan: { itemTimeoutMs: plan.itemTimeoutMs, heartbeatTimeoutMs: plan.heartbeatTimeoutMs },
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await startChild<Chunk>(CHUNK_TYPE, {
        workflowId: chunkWorkflowId({ entity, scope, epoch, page: unit.page, chunk: unit.chunk }),
        args: [input],
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        workflowTaskTimeout: TASK_TIMEOUT,
        staticSummary: labels.unit(unit),
        typedSearchAttributes: labels.attributes,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError) || attempt >= ID_TAKEN_TRIES) throw error;
      await sleep(ID_TAKEN_WAIT, { summary: 'chunk id still taken' });
    }
  }
};

/**
 * Runs a chunk as a child; one that was terminated or cancelled from outside is started again with all its ids: the ledger knows which have ended,
 * and they answer with their stored outcome.
 */
const runChunkChild = async (context: UnitContext, takeoff: Takeoff): Promise<UnitEnd> => {
  const { unit } = takeoff;
  for (let attempt = 1; ; attempt++) {
    const paused = context.isPaused();
    const handle = await startChunk(context, takeoff, paused);
    context.onChunk(unit, handle, paused ? 'paused' : 'running');
    try {
      const { stop, gaveUp, ...counts } = await handle.result();
      // Started again, its ended items answer with their stored outcome: they count then.
      if (gaveUp === true) return { counts: NO_ITEMS, again: unit.itemIds, retry: [] };
      const isWhole = computeProcessed(counts) >= unit.itemIds.length;
      if (isWhole || stop !== undefined || context.isStopping()) return endOf(counts, stop);
      if (attempt >= CHUNK_TRIES) throw runFailure(RUN_FAILURES.internalError, `${handle.workflowId} left items behind ${CHUNK_TRIES} times`);
    } catch (error) {
      if (!(error instanceof ChildWorkflowFailure) || isCancellation(error) || attempt >= CHUNK_TRIES) throw error;
    } finally {
      context.onChunk(unit, handle, 'ended');
    }
  }
};

/** Runs one unit to its end; only a fault of the machinery throws. */
export const runUnit = async (context: UnitContext, takeoff: Takeoff): Promise<UnitEnd> => {
  const { unit, starts } = takeoff;
  switch (unit.kind) {
    case 'item': {
      const itemId = unit.itemIds[0] as string;
      const end = await runItem({ calls: context.calls, run: context.run, itemId, plan: context.plan, notBefore: starts?.[0] });
      return endOf(end.counts, end.stop);
    }
    case 'slice':
      return runSlice(context, takeoff);
    case 'chunk':
      return runChunkChild(context, takeoff);
    default:
      return unit.kind satisfies never;
  }
};
