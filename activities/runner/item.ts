import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { RUN_FAILURES, TRANSIENT_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import { cutText } from '../../packages/contracts/json-value.ts';
import type { ItemReceipt, ItemRequest } from '../../packages/contracts/item-activities.ts';
import type { ClaimAnswer } from '../../packages/database/item-claims.ts';
import type { AttemptEnd } from './attempt.ts';
import { runAttempt } from './attempt.ts';
import { createClaimer, isBlank, stopOf } from './claims.ts';
import { createGroupCommit } from './commit.ts';
import type { Runner } from './definition.ts';
import { itemActivityFailure } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { createHoldKey } from './hold.ts';
import type { AwaitStart } from './pacing.ts';
import type { LoadRun } from './runs.ts';

const HELD_WAIT_MS = 2_000;
const SHOWN_ID_BYTES = 256;

/** What the history shows of an item's id; its activity's input has the whole. */
const cutId = (itemId: string): string => cutText(itemId, SHOWN_ID_BYTES);

const failFor = (
  itemId: string,
  failure: { type: string; message: string; attempts: number; exceeded?: boolean },
  retryInMs: number | null,
): ApplicationFailure =>
  itemActivityFailure({
    type: failure.type,
    message: failure.message,
    details: { itemId: cutId(itemId), attempts: failure.attempts, ...(failure.exceeded === true ? { stop: 'threshold' as const } : {}) },
    retryInMs,
  });

const receiptOfEnded = (answer: Extract<ClaimAnswer, { kind: 'ended' }>): ItemReceipt => {
  const { itemId, state, byThisRun, attempts } = answer;
  if (state === 'failed' && byThisRun) throw failFor(itemId, { type: answer.errorType ?? 'Error', message: answer.error ?? '', attempts }, null);
  const hash = answer.resultHash === null ? {} : { resultHash: answer.resultHash };
  return { itemId: cutId(itemId), outcome: state === 'done' && byThisRun ? 'done' : 'skipped', ...hash };
};

const receiptOfAttempt = (itemId: string, attempts: number, end: AttemptEnd): ItemReceipt => {
  switch (end.kind) {
    case 'done':
    case 'skipped':
      return { itemId: cutId(itemId), outcome: end.kind, ...(end.resultHash === null ? {} : { resultHash: end.resultHash }) };
    case 'failed':
      throw failFor(itemId, { ...end, attempts }, null);
    case 'retry':
      throw failFor(itemId, { ...end, attempts }, end.afterMs);
    case 'lost':
      throw failFor(itemId, { type: TRANSIENT_FAILURES.claimHeld, message: 'the item is held elsewhere', attempts }, HELD_WAIT_MS);
    case 'interrupted':
      if (Context.current().cancellationDetails?.cancelRequested === true) throw new CancelledFailure('interrupted');
      throw failFor(itemId, { type: TRANSIENT_FAILURES.claimHeld, message: 'the worker is stopping', attempts }, 1);
    default:
      return end satisfies never;
  }
};

/** `executeItem`: claims one item, does it once, writes how it ended; throws a typed failure when it did not end well. */
export const createExecuteItem = <F extends FieldSpecs>(
  runner: Runner<F>,
  { loadRun, awaitStart }: { readonly loadRun: LoadRun<F>; readonly awaitStart: AwaitStart },
) => {
  const commit = createGroupCommit(runner.deps.db);
  const claimOne = createClaimer(runner);
  const hold = createHoldKey(runner);
  return async ({ run: runId, itemId, dryRun, timeoutMs, notBefore }: ItemRequest): Promise<ItemReceipt> => {
    const sinceMs = performance.now();
    if (dryRun !== false) throw ApplicationFailure.nonRetryable('a dry run executes no item', RUN_FAILURES.internalError);
    if (isBlank(itemId)) throw failFor('', { type: RUN_FAILURES.invalidInput, message: 'Missing itemId in payload', attempts: 0 }, null);
    const run = await loadRun(runId);
    const claims = await claimOne(run, itemId);
    if (claims.refused !== null) return { itemId: cutId(itemId), outcome: 'notStarted', stop: stopOf(claims.refused) };
    const [answer] = claims.answers;
    if (answer === undefined || answer.kind === 'held')
      throw failFor(itemId, { type: TRANSIENT_FAILURES.claimHeld, message: 'the item is held elsewhere', attempts: 0 }, HELD_WAIT_MS);
    if (answer.kind === 'exhausted')
      throw failFor(itemId, { type: answer.errorType, message: answer.error, attempts: answer.attempts, exceeded: claims.exceeded }, null);
    if (answer.kind === 'ended') return receiptOfEnded(answer);
    const { claim } = answer;
    const isPaced = notBefore !== undefined && Context.current().info.attempt === 1;
    const end = await withHeartbeat(async (interrupt) => {
      if (isPaced) await awaitStart(run, { startMs: notBefore, sinceMs });
      return runAttempt({ runner, run, claim, timeoutMs, interrupt, commit, hold });
    });
    return receiptOfAttempt(itemId, claim.attempt, end);
  };
};
