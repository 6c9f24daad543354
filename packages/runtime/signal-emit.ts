import { randomUUID } from 'node:crypto';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { SCOPE_MESSAGES, SCOPE_TYPE } from '../contracts/agent-signal-scope.ts';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { SourceEvent } from '../contracts/signal-events.ts';
import type { EventState } from '../contracts/signal-run.ts';
import { admitEvent } from '../database/signal-admission.ts';
import { countRecentEvents } from '../database/signal-inbox.ts';
import { readEventState, readTrace } from '../database/signal-traces.ts';
import type { SignalTrace } from '../database/signal-traces.ts';
import type { DerivedEvent } from '../agent-signal/results.ts';
import type { EmitAnswer } from './signal-answers.ts';
import { scopeStart, wakeScope } from './signal-client.ts';
import { giveWakeBack, refuseAdmission, requireEvent } from './signal-doors.ts';
import type { Sender, SignalDoorDeps } from './signal-doors.ts';

const isSettled = (state: EventState): boolean => state !== 'pending' && state !== 'processing';

/** Asks the scope to run the event, until it says what became of it or the time is up; a run that is about to end says `moved`. */
const runNow = async (
  { client, taskQueue }: SignalDoorDeps,
  event: SourceEvent,
  { eventId, untilMs }: { readonly eventId: string; readonly untilMs: number },
): Promise<void> => {
  while (Date.now() < untilMs) {
    const startWorkflowOperation = new WithStartWorkflowOperation(SCOPE_TYPE, {
      ...scopeStart(event, taskQueue),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    const { state } = await client.withDeadline(untilMs, () =>
      client.workflow.executeUpdateWithStart<(scope: ScopeIdentity) => Promise<void>, { state: EventState | 'moved' }, [string]>(
        SCOPE_MESSAGES.processEvent,
        {
          startWorkflowOperation,
          args: [eventId],
          updateId: randomUUID(),
        },
      ),
    );
    if (state !== 'moved') return;
  }
};

/** Sends the event on its way: with a wait for its outcome where it may wait, else with a wake. */
const send = async (
  deps: SignalDoorDeps,
  event: SourceEvent,
  accepted: { readonly eventId: string; readonly scopeId: string; readonly isAwaited: boolean; readonly sendsWake: boolean },
): Promise<void> => {
  try {
    if (accepted.isAwaited) await runNow(deps, event, { eventId: accepted.eventId, untilMs: Date.now() + deps.limits.emitWaitMs });
    else if (accepted.sendsWake) await wakeScope(deps.client, event, deps.taskQueue);
  } catch {
    // The time is up, or Temporal is away: the row says what is known, and whoever is next wakes the scope.
    if (accepted.sendsWake) await giveWakeBack(deps, accepted.scopeId);
  }
};

/** The derived event that a handler concluded with. */
const derivedOf = ({ results }: SignalTrace) => {
  const found = results
    .map(({ result }) => (result as { concluded?: { derived?: DerivedEvent } } | null)?.concluded?.derived)
    .find((derived) => derived !== undefined);
  return found === undefined ? {} : { derived: { scopeKey: found.scopeKey, sourceType: found.sourceType, sourceId: found.sourceId } };
};

/** Makes an event durable, runs it now and answers what came of it, within 30 s; undefined: agent signal is off for the user. */
export const emitEvent = async (deps: SignalDoorDeps, body: unknown, sender: Sender): Promise<EmitAnswer | undefined> => {
  const event = requireEvent(body, sender, deps.limits);
  const { scopeKey, sourceId, sourceType } = event;
  const admission = await admitEvent(deps.db, event, { ...deps, awaitMs: deps.limits.emitWaitMs });
  if (admission.kind === 'duplicate') return { deduped: true, reason: 'duplicate', scopeKey, sourceId, state: admission.state };
  if (admission.kind !== 'accepted') return void refuseAdmission(admission);
  const { eventId, scopeId } = admission;
  await send(deps, event, admission);
  const [{ state, outcome, reason }, trace, windowEventCount] = await Promise.all([
    readEventState(deps.db, eventId),
    readTrace(deps.db, eventId),
    countRecentEvents(deps.db, scopeId),
  ]);
  return {
    deduped: false,
    source: { sourceId, type: sourceType },
    trigger: { scopeKey, token: `trigger:${eventId}`, windowEventCount },
    ...(admission.isReopened ? { reopened: true as const } : {}),
    ...derivedOf(trace),
    run: { status: isSettled(state) ? (outcome ?? state) : 'pending', ...(reason === null ? {} : { reason }), trace },
  };
};
