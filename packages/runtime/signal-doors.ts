import type { Client } from '@temporalio/client';
import type { Caller } from '../agent-signal/caller.ts';
import { parseEvent } from '../agent-signal/events.schema.ts';
import type { Door } from '../agent-signal/events.schema.ts';
import { scopeWorkflowId } from '../contracts/scope-identity.ts';
import { EVENT_FAILURES } from '../contracts/signal-events.ts';
import type { SourceEvent } from '../contracts/signal-events.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { Database } from '../database/database.ts';
import { admitEvent } from '../database/signal-admission.ts';
import type { Admission } from '../database/signal-admission.ts';
import { clearWake } from '../database/signal-inbox.ts';
import { EventRefused } from './signal-answers.ts';
import type { EnqueueAnswer } from './signal-answers.ts';
import { wakeScope } from './signal-client.ts';

/** What doors work with: no handler, no agent, no model. */
export interface SignalDoorDeps {
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
  readonly limits: SignalLimits;
  readonly isOnByDefault: boolean;
}

/** Who sends, through which door. */
export interface Sender {
  readonly door: Door;
  readonly caller: Caller;
}

/** Parses an envelope; throws EventRefused with every problem. */
export const requireEvent = (body: unknown, { door, caller }: Sender, limits: SignalLimits): SourceEvent => {
  const parsed = parseEvent(body, { door, caller, limits });
  if (!parsed.ok) throw new EventRefused(parsed.type, parsed.problems);
  return parsed.event;
};

const REFUSALS = {
  rateLimited: [EVENT_FAILURES.rateLimited, 'too many events of this scope in a second'],
  backlogFull: [EVENT_FAILURES.backlogFull, 'too many events of this scope wait already'],
  causedRate: [EVENT_FAILURES.rateLimited, 'too many events of this scope were caused by its own actions in an hour'],
} as const;

/** An admission that is no row; throws what its sender is to know, or answers that agent signal is off. */
export const refuseAdmission = (admission: Exclude<Admission, { kind: 'accepted' | 'duplicate' }>): 'off' => {
  if (admission.kind === 'off') return 'off';
  if (admission.kind === 'forbidden') {
    const message = `agent ${admission.agentId} is private to another user`;
    throw new EventRefused(EVENT_FAILURES.agentNotUsable, [{ path: 'agentId', code: 'not_usable', message }]);
  }
  const [type, message] = REFUSALS[admission.reason];
  throw new EventRefused(
    type,
    [{ path: '', code: 'retry_later', message: `${message}: try again in ${admission.retryAfterSeconds} s` }],
    admission.retryAfterSeconds,
  );
};

/** Lets the next event send a wake, for one that could not be sent. The event is a row by then: that this fails as well is no reason to say otherwise. */
export const giveWakeBack = ({ db }: SignalDoorDeps, scopeId: string): Promise<void> => clearWake(db, scopeId).catch(() => undefined);

/** Sends the wake where it is this event's to send; one that cannot be sent is left to the sweeper. */
const wake = async (
  deps: SignalDoorDeps,
  event: SourceEvent,
  { scopeId, sendsWake, runId }: { readonly scopeId: string; readonly sendsWake: boolean; readonly runId: string | null },
): Promise<Pick<EnqueueAnswer, 'workflowRunId' | 'wake'>> => {
  if (!sendsWake) return { workflowRunId: runId ?? '', wake: 'coalesced' };
  try {
    return { workflowRunId: await wakeScope(deps.client, event, deps.taskQueue), wake: 'sent' };
  } catch {
    await giveWakeBack(deps, scopeId);
    return { workflowRunId: '', wake: 'deferred' };
  }
};

/** Makes an event durable, wakes its scope and answers at once. */
export const enqueueEvent = async (deps: SignalDoorDeps, body: unknown, sender: Sender): Promise<EnqueueAnswer> => {
  const event = requireEvent(body, sender, deps.limits);
  const { scopeKey, sourceId } = event;
  const named = { scopeKey, workflowId: scopeWorkflowId(event), sourceId };
  const admission = await admitEvent(deps.db, event, deps);
  switch (admission.kind) {
    case 'accepted':
      return { accepted: true, ...named, ...(admission.isReopened ? { reopened: true as const } : {}), ...(await wake(deps, event, admission)) };
    case 'duplicate':
      return { accepted: true, ...named, workflowRunId: admission.runId ?? '', deduped: true, state: admission.state };
    default:
      refuseAdmission(admission);
      return { accepted: false, ...named, workflowRunId: '' };
  }
};
