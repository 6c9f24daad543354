import { setTimeout as delay } from 'node:timers/promises';
import { computeByteLength, computeDigest } from '../../packages/contracts/digest.ts';
import { ITEM_FAILURES } from '../../packages/contracts/failures.ts';
import { cutText, findUnserializable } from '../../packages/contracts/json-value.ts';
import type { Database } from '../../packages/database/database.ts';
import { classifyDatabaseError } from '../../packages/database/errors.ts';
import type { DatabaseFault } from '../../packages/database/errors.ts';
import type { Claim } from '../../packages/database/item-claims.ts';
import type { ItemEnding } from '../../packages/database/item-endings.ts';
import { endItems } from '../../packages/database/item-endings.ts';
import { inTransaction } from '../../packages/database/database.ts';
import type { ItemOutcome } from './definition.ts';
import { itemFailure } from './failures.ts';
import { createGatherer } from './gather.ts';

const MAX_RESULT_BYTES = 256 * 1024;
const MAX_REASON_BYTES = 1_000;
const OUTAGE_MS = 90_000;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2_000;

/** Turns an author's outcome into the row it ends as; a result that is not plain JSON or over 256 KiB fails the item for good. */
export const toEnding = (claim: Claim, outcome: ItemOutcome): ItemEnding => {
  if (outcome.kind === 'skipped')
    return { claim, state: 'skipped', result: null, resultHash: null, reason: cutText(outcome.reason, MAX_REASON_BYTES) };
  if (outcome.result === undefined) return { claim, state: 'done', result: null, resultHash: null, reason: null };
  const problem = findUnserializable(outcome.result);
  if (problem !== undefined) throw itemFailure(ITEM_FAILURES.unserializableValue, problem);
  const result = JSON.stringify(outcome.result);
  const bytes = computeByteLength(result);
  if (bytes > MAX_RESULT_BYTES) throw itemFailure(ITEM_FAILURES.payloadTooLarge, `result has ${bytes} bytes, at most ${MAX_RESULT_BYTES} are kept`);
  return { claim, state: 'done', result, resultHash: computeDigest(result).slice(0, 16), reason: null };
};

const repeatWhile = async <T>(mayRepeat: (fault: DatabaseFault) => boolean, write: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      const fault = classifyDatabaseError(error);
      if (fault === null || !mayRepeat(fault) || performance.now() - startedAt > OUTAGE_MS) throw error;
      await delay(waitMs);
    }
  }
};

/**
 * Repeats a ledger write of an already computed outcome while the database cannot be reached or its rows are contended, for at most 90 s:
 * the item ran once, and losing its outcome would run it twice. The write itself is conditional, so a repeat is harmless.
 */
export const persistThroughOutage = <T>(write: () => Promise<T>): Promise<T> =>
  repeatWhile(({ unavailable, transient }) => unavailable || transient, write);

/** The database cannot be reached: whatever else was asked of it fails too. */
export const isUnavailable = (error: unknown): boolean => classifyDatabaseError(error)?.unavailable === true;

const RESTARTED = new Set(['40P01', '40001']);

/** The same for a transaction with an author's own write: a deadlock begins anew, but a row that is locked for long costs an attempt. */
const persistWithWrite = <T>(write: () => Promise<T>): Promise<T> =>
  repeatWhile(({ unavailable, sqlState }) => unavailable || RESTARTED.has(sqlState ?? ''), write);

/** The claim was taken over, or the run ended: what this attempt computed no longer counts and nothing of it was written. */
export class ClaimLost extends Error {}

/** Ends items whose outcome has a write of its own: both in one transaction, or neither. */
export const commitWithWrite = async (
  db: Database,
  ending: ItemEnding,
  write: NonNullable<Extract<ItemOutcome, { kind: 'done' }>['write']>,
): Promise<boolean> => {
  try {
    await persistWithWrite(() =>
      inTransaction(db, async (tx) => {
        const ended = await endItems(tx, [ending]);
        const how = ended.get(ending.claim.rowId);
        if (how === undefined) throw new ClaimLost('the claim was taken over');
        if (how === 'written') await write(tx);
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ClaimLost) return false;
    throw error;
  }
};

/** Commits an ending; answers whether the claim still held. */
export type CommitEnding = (ending: ItemEnding) => Promise<boolean>;

const GROUP_SIZE = 100;
const GROUPS_AT_ONCE = 2;

/** Commits endings in groups: whatever gathers while earlier statements are under way goes with the next. */
export const createGroupCommit = (db: Database): CommitEnding => {
  const commitAll = async (group: readonly ItemEnding[]): Promise<readonly boolean[]> => {
    const ended = await endItems(db, group);
    return group.map(({ claim }) => ended.has(claim.rowId));
  };
  return createGatherer<ItemEnding, boolean>({
    work: (group) =>
      repeatWhile(
        ({ unavailable }) => unavailable,
        () => commitAll(group),
      ),
    alone: async (ending) => (await persistThroughOutage(() => endItems(db, [ending]))).has(ending.claim.rowId),
    isShared: isUnavailable,
    nameOf: ({ claim }) => claim.rowId,
    groupSize: GROUP_SIZE,
    groupsAtOnce: GROUPS_AT_ONCE,
  });
};
