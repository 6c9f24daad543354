import { encodeIdPart } from '../../packages/contracts/ids.ts';
import { ITEM_FAILURES } from '../../packages/contracts/failures.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { Claim } from '../../packages/database/item-claims.ts';
import { failItem, releaseItems } from '../../packages/database/item-endings.ts';
import type { ItemEnding } from '../../packages/database/item-endings.ts';
import type { CommitEnding } from './commit.ts';
import { commitWithWrite, persistThroughOutage, toEnding } from './commit.ts';
import type { ItemContext, ItemOutcome, PipelineDefinition, Runner } from './definition.ts';
import { classifyItemError, itemFailure } from './failures.ts';
import type { HoldKey } from './hold.ts';
import { computeRateLimitWait, computeRetryWait } from './retry-waits.ts';
import type { ClassifiedFailure } from './failures.ts';
import type { KnownRun } from './runs.ts';

const MAX_FREE_WAITS = 10;
const HEED_MS = 10_000;

/** How one attempt of one item ended; `retry` has its wait, `lost` means that somebody else holds the item now. */
export type AttemptEnd =
  | { readonly kind: 'done' | 'skipped'; readonly resultHash: string | null }
  | { readonly kind: 'retry'; readonly type: string; readonly message: string; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly type: string; readonly message: string; readonly exceeded: boolean }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'lost' };

export interface AttemptRequest<F extends FieldSpecs> {
  readonly runner: Runner<F>;
  readonly run: KnownRun<F>;
  readonly claim: Claim;
  readonly timeoutMs: number;
  /** Aborted when the run is aborted or the worker stops. */
  readonly interrupt: AbortSignal;
  readonly commit: CommitEnding;
  readonly hold: HoldKey;
}

class Interrupted extends Error {}

const once = (signal: AbortSignal, listener: () => void): (() => void) => {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
};

/** Calls the author's code; what it throws before it returns a promise is an error of the item like any other. */
const call = async <F extends FieldSpecs>(definition: PipelineDefinition<F>, item: ItemContext<F>): Promise<ItemOutcome> =>
  definition.executeItem(item);

/** Runs the author's code against its deadline; work that ignores its signal is left behind, its late write refused by its token. */
const execute = async <F extends FieldSpecs>({ runner, run, claim, timeoutMs, interrupt }: AttemptRequest<F>): Promise<ItemOutcome> => {
  const stop = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let unlisten = (): void => undefined;
  const cut = new Promise<never>((_resolve, reject) => {
    timers.push(
      setTimeout(() => {
        const timedOut = itemFailure(ITEM_FAILURES.itemTimeout, `not done within ${timeoutMs} ms`, { retryable: true });
        reject(timedOut);
        stop.abort(timedOut);
      }, timeoutMs),
    );
    unlisten = once(interrupt, () => {
      stop.abort(new Interrupted('interrupted'));
      timers.push(setTimeout(() => reject(new Interrupted('interrupted')), HEED_MS));
    });
  });
  const { contract, definition } = runner;
  const { stored, input } = run;
  const idempotencyKey = `${contract.entity}/${encodeIdPart(stored.scope)}/e${stored.epoch}/${encodeIdPart(claim.itemId)}`;
  const work = call(definition, {
    itemId: claim.itemId,
    input,
    run: stored.id,
    itemRow: claim.rowId,
    token: claim.token,
    attempt: claim.attempt,
    isLastAttempt: claim.attempt >= contract.retry.attempts,
    idempotencyKey,
    signal: stop.signal,
  });
  try {
    return await Promise.race([work, cut]);
  } catch (error) {
    if (interrupt.aborted && classifyItemError(error).type !== ITEM_FAILURES.itemTimeout) throw new Interrupted('interrupted', { cause: error });
    throw error;
  } finally {
    timers.forEach(clearTimeout);
    unlisten();
    cut.catch(() => undefined);
    work.catch(() => undefined);
  }
};

const kindOf = (failure: ClassifiedFailure, claim: Claim, maxAttempts: number): 'final' | 'retry' | 'free' => {
  if (!failure.retryable) return 'final';
  if (failure.retryAfterSeconds !== undefined && claim.freeWaits < MAX_FREE_WAITS) return 'free';
  return claim.attempt >= maxAttempts ? 'final' : 'retry';
};

const record = async <F extends FieldSpecs>({ runner, run, claim, hold }: AttemptRequest<F>, failure: ClassifiedFailure): Promise<AttemptEnd> => {
  const { contract, deps } = runner;
  const kind = kindOf(failure, claim, contract.retry.attempts);
  if (typeof failure.retryAfterSeconds === 'number') hold(run, failure.retryAfterSeconds);
  const type = failure.type ?? (kind === 'final' && failure.retryable ? ITEM_FAILURES.attemptsExhausted : 'Error');
  const row = { run: run.stored.id, claim, errorType: type, error: failure.message, kind };
  const { written, exceeded } = await persistThroughOutage(() => failItem(deps.db, row));
  if (!written) return { kind: 'lost' };
  if (kind === 'final') return { kind: 'failed', type, message: failure.message, exceeded };
  const afterMs =
    kind === 'free'
      ? computeRateLimitWait(contract, failure.retryAfterSeconds ?? null, claim.freeWaits + 1)
      : computeRetryWait(contract, claim.attempt);
  return { kind: 'retry', type, message: failure.message, afterMs };
};

const endBadly = async <F extends FieldSpecs>(request: AttemptRequest<F>, error: unknown): Promise<AttemptEnd> => {
  if (!(error instanceof Interrupted)) return record(request, classifyItemError(error));
  await persistThroughOutage(() => releaseItems(request.runner.deps.db, [request.claim]));
  return { kind: 'interrupted' };
};

const endWith = ({ state, resultHash }: ItemEnding, isHeld: boolean): AttemptEnd => (isHeld ? { kind: state, resultHash } : { kind: 'lost' });

/** An attempt whose code has ended; `end` tells what the ledger holds of it, a promise while its row is under way. */
export interface ExecutedAttempt {
  readonly end: AttemptEnd | Promise<AttemptEnd>;
}

/** Executes one claimed item; its done row may still be under way when this resolves, an author's own write and a failure are not. */
export const executeAttempt = async <F extends FieldSpecs>(request: AttemptRequest<F>): Promise<ExecutedAttempt> => {
  const { runner, claim, commit } = request;
  try {
    const outcome = await execute(request);
    const ending = toEnding(claim, outcome);
    if (outcome.kind === 'done' && outcome.write !== undefined) {
      return { end: endWith(ending, await commitWithWrite(runner.deps.db, ending, outcome.write)) };
    }
    const end = commit(ending).then(
      (isHeld) => endWith(ending, isHeld),
      (error: unknown) => endBadly(request, error),
    );
    return { end };
  } catch (error) {
    return { end: await endBadly(request, error) };
  }
};

/** One attempt of one claimed item: executes, then writes how it ended under the claim's token. */
export const runAttempt = async <F extends FieldSpecs>(request: AttemptRequest<F>): Promise<AttemptEnd> => (await executeAttempt(request)).end;
