import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { RUN_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { SliceReceipt, SliceRequest, SliceRetry, StopReason } from '../../packages/contracts/item-activities.ts';
import { LaneStarts } from '../../packages/flow-control/lane-starts.ts';
import type { ClaimAnswer } from '../../packages/database/item-claims.ts';
import { releaseItems } from '../../packages/database/item-endings.ts';
import type { AttemptEnd, ExecutedAttempt } from './attempt.ts';
import { executeAttempt } from './attempt.ts';
import type { CommitEnding } from './commit.ts';
import { createGroupCommit, persistThroughOutage } from './commit.ts';
import type { Runner } from './definition.ts';
import { withHeartbeat } from './heartbeat.ts';
import { claimAll, isBlank, stopOf } from './claims.ts';
import type { HoldKey } from './hold.ts';
import { createHoldKey } from './hold.ts';
import { serverNow } from './pacing.ts';
import type { AwaitStart } from './pacing.ts';
import type { KnownRun, LoadRun } from './runs.ts';

/** Slices hold their lanes to their end: with a longer window a small run beside a large one waits longer for its share. */
const START_WINDOW_MS = 500;
const CLAIM_BATCH = 100;
const HELD_WAIT_MS = 2_000;

/** Done rows that may be under way while lanes go on: as many as one statement takes. */
const MAX_UNWRITTEN = 100;

interface Tally {
  succeeded: number;
  failed: number;
  skipped: number;
  interrupted: number;
  readonly retry: SliceRetry[];
  readonly notStarted: string[];
  stop: StopReason | undefined;
}

interface SliceWork<F extends FieldSpecs> {
  readonly runner: Runner<F>;
  readonly run: KnownRun<F>;
  readonly request: SliceRequest;
  readonly interrupt: AbortSignal;
  readonly commit: CommitEnding;
  readonly hold: HoldKey;
  readonly awaitStart: AwaitStart;
  readonly tally: Tally;
  /** Start times that are left, under a rate. */
  readonly starts: LaneStarts | null;
  /** For how long ended items have kept their lanes, and how many they were. */
  readonly busy: { ms: number; items: number };
  /** When the slice began, monotonic ms. */
  readonly sinceMs: number;
  /** When the first claim was answered: a slow database delays the window and does not use it up. */
  readonly window: { openedAt: number | null };
  readonly mayStart: () => boolean;
}

const tallyEnd = (tally: Tally, itemId: string, end: AttemptEnd): void => {
  switch (end.kind) {
    case 'done':
      tally.succeeded++;
      return;
    case 'skipped':
      tally.skipped++;
      return;
    case 'failed':
      tally.failed++;
      if (end.exceeded) tally.stop = 'threshold';
      return;
    case 'retry':
      tally.retry.push({ itemId, afterMs: end.afterMs });
      return;
    case 'lost':
      tally.retry.push({ itemId, afterMs: HELD_WAIT_MS });
      return;
    case 'interrupted':
      // Interrupted by its worker's stop, not by an abort: another worker takes it.
      if (Context.current().cancellationDetails?.cancelRequested === true) tally.interrupted++;
      else tally.notStarted.push(itemId);
      return;
    default:
      end satisfies never;
  }
};

/** Counts an id that needs no execution by this slice. */
const tallyAnswer = (tally: Tally, answer: Exclude<ClaimAnswer, { kind: 'claimed' }>): void => {
  if (answer.kind === 'held') tally.retry.push({ itemId: answer.itemId, afterMs: HELD_WAIT_MS });
  else if (answer.kind === 'exhausted' || (answer.state === 'failed' && answer.byThisRun)) tally.failed++;
  else if (answer.state === 'done' && answer.byThisRun) tally.succeeded++;
  else tally.skipped++;
};

/** Counts an attempt's end, at once or when its row is written. */
const note = (tally: Tally, endings: Set<Promise<void>>, { itemId, end }: { readonly itemId: string } & ExecutedAttempt): void => {
  if (!(end instanceof Promise)) return tallyEnd(tally, itemId, end);
  const ending = end.then((told) => {
    tallyEnd(tally, itemId, told);
    endings.delete(ending);
  });
  // What it throws is met when the lanes have ended.
  ending.catch(() => undefined);
  endings.add(ending);
};

/** Claims one batch and runs it in lanes; claims that may no longer start are given back. */
const runBatch = async <F extends FieldSpecs>(work: SliceWork<F>, itemIds: readonly string[]): Promise<void> => {
  const { runner, run, request, interrupt, commit, hold, tally, mayStart } = work;
  const named = itemIds.filter((itemId) => !isBlank(itemId));
  tally.failed += itemIds.length - named.length;
  if (named.length === 0) return;
  const { answers, refused, exceeded } = await claimAll(runner, run, named);
  work.window.openedAt ??= performance.now();
  if (refused !== null) {
    tally.notStarted.push(...named);
    tally.stop = stopOf(refused);
    return;
  }
  if (exceeded) tally.stop = 'threshold';
  const claims = answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.claim] : (tallyAnswer(tally, answer), [])));
  const endings = new Set<Promise<void>>();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < claims.length && mayStart()) {
      const claim = claims[next];
      if (claim === undefined) return;
      const startMs = work.starts?.take(serverNow(work.sinceMs));
      if (work.starts !== null && startMs === undefined) return;
      next++;
      if (startMs !== undefined) await work.awaitStart(run, { startMs, sinceMs: work.sinceMs });
      const beganMs = performance.now();
      // The lane goes on while the done row is written: what a limit bounds is the item's own work.
      if (endings.size >= MAX_UNWRITTEN) await Promise.race(endings);
      const { end } = await executeAttempt({ runner, run, claim, timeoutMs: request.itemTimeoutMs, interrupt, commit, hold });
      work.busy.ms += performance.now() - beganMs;
      work.busy.items++;
      note(work.tally, endings, { itemId: claim.itemId, end });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(request.concurrency, claims.length) }, lane));
  // Nothing of this activity may still run when it fails: its retry takes the claims over.
  for (const ended of [...lanes, ...(await Promise.allSettled(endings))]) if (ended.status === 'rejected') throw ended.reason;
  const left = claims.slice(next);
  if (left.length === 0) return;
  await persistThroughOutage(() => releaseItems(runner.deps.db, left));
  tally.notStarted.push(...left.map(({ itemId }) => itemId));
};

/**
 * `executeSlice`: the items of a chunk inside one activity, `concurrency` at a time. It starts none later than half a second after its first claim
 * was answered and answers per id what the parent has to schedule again.
 */
export const createExecuteSlice = <F extends FieldSpecs>(
  runner: Runner<F>,
  { loadRun, awaitStart }: { readonly loadRun: LoadRun<F>; readonly awaitStart: AwaitStart },
) => {
  const commit = createGroupCommit(runner.deps.db);
  const hold = createHoldKey(runner);
  return async (request: SliceRequest): Promise<SliceReceipt> => {
    const sinceMs = performance.now();
    if (request.dryRun !== false) throw ApplicationFailure.nonRetryable('a dry run executes no item', RUN_FAILURES.internalError);
    const run = await loadRun(request.run);
    const starts = request.starts === undefined ? null : new LaneStarts({ times: request.starts, left: request.itemIds.length, owed: 0 });
    const window: SliceWork<F>['window'] = { openedAt: null };
    const busy = { ms: 0, items: 0 };
    const isOpen = (): boolean => starts !== null || window.openedAt === null || performance.now() - window.openedAt < START_WINDOW_MS;
    const none = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0, retry: [] };
    // The start times of a slice that died are void: its items get new ones.
    if (starts !== null && Context.current().info.attempt > 1) return { ...none, notStarted: request.itemIds };
    const tally: Tally = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0, retry: [], notStarted: [], stop: undefined };
    await withHeartbeat(async (interrupt) => {
      const mayStart = (): boolean => !interrupt.aborted && tally.stop === undefined && isOpen();
      const work: SliceWork<F> = { runner, run, request, interrupt, commit, hold, awaitStart, tally, starts, sinceMs, window, busy, mayStart };
      // After a slice that died, only what starts at once is claimed: an item that kills its process costs no attempt of the others.
      const size = Context.current().info.attempt > 1 ? request.concurrency : Math.max(CLAIM_BATCH, request.concurrency);
      for (let from = 0; from < request.itemIds.length; from += size) {
        const batch = request.itemIds.slice(from, from + size);
        if (mayStart()) await runBatch(work, batch);
        else tally.notStarted.push(...batch);
      }
    });
    const { stop, ...rest } = tally;
    const laneMs = starts === null || busy.items === 0 ? {} : { laneMs: Math.round(busy.ms / busy.items) };
    return { ...rest, ...laneMs, ...(stop === undefined ? {} : { stop }) };
  };
};
