import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { Claimed, ClaimedEvent, ClaimRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { NodeRef } from '../../packages/contracts/signal-run.ts';
import type { Database } from '../../packages/database/database.ts';
import { claimEvents, openScope } from '../../packages/database/signal-claims.ts';
import type { ClaimedRow } from '../../packages/database/signal-claims.ts';
import { readScopeStatus, readStates } from '../../packages/database/signal-status.ts';
import { settleEvent } from '../../packages/database/signal-steps.ts';
import { claimDueTimers, readTimers } from '../../packages/database/signal-timers.ts';
import { ATTRIBUTES, SPANS, withSpan } from '../../packages/observability/spans.ts';
import type { FreshSteps } from './fresh-steps.ts';

const claimedOf = async (db: Database, registry: HandlerRegistry, rows: readonly ClaimedRow[]): Promise<ClaimedEvent[]> => {
  const timers = await readTimers(
    db,
    rows.flatMap(({ timerId }) => timerId ?? []),
  );
  return rows.map(({ eventId, token, sourceType, sourceId, timerId }) => {
    const source = registry.refOfSource({ sourceId, sourceType });
    const timer = timers.find((each) => each.timerId === timerId);
    if (timer === undefined) return { eventId, token, sourceType, sourceId, node: source };
    const { kind, type, depth } = timer;
    const node: NodeRef =
      kind === null || type === null ? source : { id: timer.nodeId, kind, type, depth: depth ?? 0, handlers: registry.handlersOf(kind, type) };
    const handlers = timer.handlerId === null ? node.handlers : [timer.handlerId];
    return { eventId, token, sourceType, sourceId, timerId: timer.timerId, node: { ...node, handlers } };
  });
};

/** A claim of a scope's run. */
export type Claim = (request: ClaimRequest) => Promise<Claimed>;

interface ClaimDeps {
  readonly db: Database;
  readonly registry: HandlerRegistry;
  readonly limits: SignalLimits;
  readonly fresher: FreshSteps;
}

const claimIn = async (
  { db, registry, limits, fresher }: ClaimDeps,
  { ownerId, scopeKey, runId, buildId, limit, awaited, ended, wantsStatus }: ClaimRequest,
): Promise<Claimed> => {
  for (const each of ended) await settleEvent(db, each);
  const { scopeId, leasedMs, nextDueInMs } = await openScope({ ownerId, scopeKey, runId, buildId }, db);
  const due = leasedMs > 0 || nextDueInMs !== 0 ? [] : await claimDueTimers(db, { scopeId, runId, size: limit });
  const size = limit - due.length;
  const queued = leasedMs > 0 || size === 0 ? [] : await claimEvents(db, { scopeId, runId, size, limits });
  // What a timer has just made `processing` is claimed once more with the rest: the newer token is the one that holds.
  const rows = new Map([...due, ...queued].map((row) => [row.eventId, row]));
  const events = await claimedOf(db, registry, [...rows.values()]);
  for (const { eventId, token, fresh, sourceType, sourceId } of queued)
    if (fresh !== null) fresher.keep({ eventId, token }, { scopeId, ownerId, scopeKey, sourceType, sourceId, ...fresh });
  const status = wantsStatus ? await readScopeStatus(db, { ownerId, scopeKey }) : null;
  return {
    events,
    states: await readStates(db, awaited),
    // Nothing is claimed before the lease is over, whatever is due.
    nextDueInMs: leasedMs > 0 ? leasedMs : nextDueInMs,
    status,
    limits,
  };
};

/** Claims what a run of a scope may run next, in order, and what else it must know. */
export const createClaim =
  (deps: ClaimDeps): Claim =>
  (request) =>
    withSpan({ name: SPANS.signalClaim, attributes: { [ATTRIBUTES.ownerId]: request.ownerId, [ATTRIBUTES.scopeKey]: request.scopeKey } }, () =>
      claimIn(deps, request),
    );

/** Claims behind an event that its last call has settled. The answer is stored: a claim that fails must not repeat the call, the scope claims again. */
export const claimBehind = async (claim: Claim, next: ClaimRequest | undefined, result: StepResult): Promise<StepResult> => {
  if (next === undefined || result.settled === null) return result;
  const claimed = await claim(next).catch(() => undefined);
  return claimed === undefined ? result : { ...result, claimed };
};
