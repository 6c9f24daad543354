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

/** Commits endings; answers whether the claim still held. */
export type CommitEnding = (ending: ItemEnding) => Promise<boolean>;

/** Commits each ending by a statement of its own. */
export const createSingleCommit =
  (db: Database): CommitEnding =>
  async (ending) =>
    (await persistThroughOutage(() => endItems(db, [ending]))).has(ending.claim.rowId);

interface Waiting {
  readonly ending: ItemEnding;
  readonly resolve: (held: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits one by one a group whose statement was refused, so that the ending at fault fails alone. */
const commitSingly = async (db: Database, group: readonly Waiting[]): Promise<void> => {
  const commit = createSingleCommit(db);
  for (const { ending, resolve, reject } of group) await commit(ending).then(resolve, reject);
};

/** Commits endings in groups: whatever gathers while one statement is under way goes with the next. */
export const createGroupCommit = (db: Database): CommitEnding => {
  let waiting: Waiting[] = [];
  let isWriting = false;
  const drain = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const ended = await persistThroughOutage(() =>
          endItems(
            db,
            group.map(({ ending }) => ending),
          ),
        );
        for (const { ending, resolve } of group) resolve(ended.has(ending.claim.rowId));
      } catch {
        await commitSingly(db, group);
      }
    }
    isWriting = false;
  };
  return (ending) =>
    new Promise((resolve, reject) => {
      waiting.push({ ending, resolve, reject });
      if (!isWriting) setImmediate(() => void (isWriting ? undefined : drain()));
    });
};
