import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  ContinueAsNew,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, InitialVersioningBehavior, SearchAttributeType, TemporalFailure } from '@temporalio/common';
import { scopeAttribute, scopeWorkflowId } from '../contracts/scope-identity.ts';
import type { ScopeCarry, ScopeStart } from '../contracts/agent-signal-scope.ts';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import { findUnserializable } from '../contracts/json-value.ts';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { Claimed, ClaimedEvent, ClaimRequest } from '../contracts/signal-activities.ts';
import type { EventState } from '../contracts/signal-run.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';
import { scopeCalls } from './scope-calls.ts';
import { runClaimedEvent } from './scope-event.ts';
import { installScopeMessages } from './scope-messages.ts';
import { createStory, describeInMarkdown, isFull, isPortable, wantsStatus } from './scope-state.ts';
import type { ScopeStory } from './scope-state.ts';

const NOTHING: ScopeCarry = { v: 1, rejected: 0, raw: [] };

const refuse = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, RUN_FAILURES.invalidInput);

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '' && findUnserializable(value) === undefined;

/** Anybody may start a scope; only a run of it may hand something over. */
const requireStart = (args: readonly unknown[]): ScopeStart => {
  const [start] = args;
  if (args.length !== 1 || typeof start !== 'object' || start === null) throw refuse('expected one argument: {"ownerId":"…","scopeKey":"…"}');
  const { ownerId, scopeKey, carry, ...more } = start as Partial<ScopeStart>;
  if (!isText(ownerId)) throw refuse('ownerId: expected text that is not blank, without NUL or half a character');
  if (!isText(scopeKey)) throw refuse('scopeKey: expected text that is not blank, without NUL or half a character');
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw refuse(`unknown key ${unknown}, known keys: ownerId, scopeKey`);
  const { workflowId, continuedFromExecutionRunId } = workflowInfo();
  if (carry !== undefined && continuedFromExecutionRunId === undefined) throw refuse('unknown key carry, known keys: ownerId, scopeKey');
  const expected = scopeWorkflowId({ ownerId, scopeKey });
  if (workflowId !== expected) throw refuse(`the workflow id of this scope is ${expected}, not ${workflowId}`);
  return { ownerId, scopeKey, ...(carry === undefined ? {} : { carry }) };
};

const ATTRIBUTES = {
  tenant: defineSearchAttributeKey('StrataTenant', SearchAttributeType.KEYWORD),
  scope: defineSearchAttributeKey('StrataScope', SearchAttributeType.KEYWORD),
};

/** Makes the scope findable, however it was started. */
const label = ({ ownerId, scopeKey }: ScopeIdentity): void => {
  if (workflowInfo().typedSearchAttributes.get(ATTRIBUTES.scope) !== undefined) return;
  upsertSearchAttributes([
    { key: ATTRIBUTES.tenant, value: scopeAttribute(ownerId) },
    { key: ATTRIBUTES.scope, value: scopeAttribute(scopeKey) },
  ]);
};

/** Whoever waits is told to ask again; no run ends with a handler open. */
const letGo = async (story: ScopeStory): Promise<void> => {
  story.isMoving = true;
  await condition(allHandlersFinished);
};

const renew = async (story: ScopeStory): Promise<never> => {
  await letGo(story);
  const { ownerId, scopeKey, rejected, raw } = story;
  const isVersioned = (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';
  const next = makeContinueAsNewFunc<(start: ScopeStart) => Promise<void>>({
    workflowTaskTimeout: TASK_TIMEOUT,
    ...(isVersioned ? { initialVersioningBehavior: InitialVersioningBehavior.AUTO_UPGRADE } : {}),
  });
  return next({ ownerId, scopeKey, carry: { v: 1, rejected, raw } });
};

/** What came by signal becomes rows before anything else is claimed. */
const acceptRaw = async (story: ScopeStory): Promise<void> => {
  const { ownerId, scopeKey } = story;
  const raw = story.raw.splice(0);
  const { rejected } = await scopeCalls.accept({ ownerId, scopeKey, raw, runId: workflowInfo().runId, firstPlace: story.rawTaken });
  story.rawTaken += raw.length;
  story.rejected += rejected;
  story.isWoken = true;
};

/** Asks for whatever is pending once `events` of this run are over. */
const requestClaim = (story: ScopeStory, ended: ClaimRequest['ended'], events: number): ClaimRequest => {
  const { ownerId, scopeKey, limits, awaited } = story;
  const { runId, currentDeploymentVersion } = workflowInfo();
  story.isWoken = false;
  return {
    ownerId,
    scopeKey,
    runId,
    buildId: currentDeploymentVersion?.buildId ?? '',
    limit: isFull({ ...story, events }) ? 0 : Math.min(limits.claimSize, limits.continueAfterEvents - events),
    awaited: [...awaited.keys()],
    ended,
    wantsStatus: wantsStatus(story),
  };
};

/** What a claim says of the scope besides its events. */
const learn = (story: ScopeStory, { limits, nextDueInMs, events, status, states }: Claimed): void => {
  story.limits = limits;
  story.dueAtMs = nextDueInMs === null ? null : Date.now() + nextDueInMs;
  if (events.length > 0) story.idleSinceMs = Date.now();
  if (status !== null) {
    story.status = status;
    story.statusAtMs = Date.now();
  }
  for (const { eventId, state } of states) if (state !== 'pending' && state !== 'processing') tell(story, eventId, state);
  setCurrentDetails(describeInMarkdown(story));
};

const claim = async (story: ScopeStory, ended: ClaimRequest['ended']): Promise<Claimed> => {
  const claimed = await scopeCalls.claim(requestClaim(story, ended, story.events));
  learn(story, claimed);
  return claimed;
};

/** Answers a producer that waits; for nobody else is a state kept. */
const tell = (story: ScopeStory, eventId: string, state: EventState): void => {
  if (story.awaited.has(eventId)) story.states.set(eventId, state);
};

/** What is left of a claim whose events have run: outcomes still to be settled, and what was claimed with the last end. */
interface Left {
  readonly ended: ClaimRequest['ended'];
  readonly claimed: Claimed | undefined;
}

/** Claims with an event's last call, unless something must come before: more of the same claim, rows to be made, a producer to be answered, a new run. */
const claimNext = (story: ScopeStory, { eventId }: ClaimedEvent, ended: ClaimRequest['ended']): ClaimRequest | undefined => {
  const events = story.events + 1;
  const isFirst = story.raw.length > 0 || story.awaited.has(eventId) || isFull({ ...story, events });
  return isFirst ? undefined : requestClaim(story, [...ended], events);
};

/** Runs what was claimed, in order. A lost claim leaves the rest to the next one. */
const runClaimed = async (story: ScopeStory, { events }: Claimed): Promise<Left> => {
  const ended: ClaimRequest['ended'][number][] = [];
  for (const event of events) {
    story.currentEvent = `${event.sourceType} ${event.sourceId}`;
    let isAsked = false;
    const { end, claimed } = await runClaimedEvent(event, {
      limits: story.limits,
      claimNext: () => {
        const next = event === events.at(-1) ? claimNext(story, event, ended) : undefined;
        isAsked ||= next !== undefined;
        return next;
      },
    });
    story.events++;
    story.currentEvent = null;
    if (end.kind === 'settled') tell(story, event.eventId, end.state);
    if (claimed !== undefined) {
      learn(story, claimed);
      return { ended: [], claimed };
    }
    // Whatever was heard before the claim that did not come about has still to be looked for.
    if (isAsked || end.kind === 'lost' || end.isFollowed) story.isWoken = true;
    // It has a timer that the claim did not know of.
    if (end.kind === 'settled' && end.state === 'waiting') story.isWoken = true;
    // Its row is not settled before the next claim, which then answers who waits for it.
    if (end.kind === 'unsettled') ended.push({ eventId: event.eventId, token: event.token, outcome: end.outcome });
    // The rest is claimed again: whatever a lost claim holds is still ours, and a derived event runs before the others.
    if (end.kind === 'lost' || end.isFollowed) break;
  }
  return { ended, claimed: undefined };
};

const hasNews = ({ isWoken, raw }: ScopeStory): boolean => isWoken || raw.length > 0;

/** Waits for news until the earliest timer is due, or, where there is none, until the scope has been idle long enough; true: there is news. */
const rest = (story: ScopeStory): Promise<boolean> => {
  const untilMs = story.dueAtMs ?? story.idleSinceMs + story.limits.idleMs;
  return condition(() => hasNews(story), Math.max(1, Math.ceil(untilMs - Date.now())));
};

/** Ends the run unless something came while it was let go. */
const close = async (story: ScopeStory): Promise<boolean> => {
  await letGo(story);
  if (!hasNews(story)) return true;
  story.isMoving = false;
  return false;
};

const run = async (story: ScopeStory): Promise<void> => {
  let left: Left = { ended: [], claimed: undefined };
  for (;;) {
    if (story.raw.length > 0 && !(isFull(story) && isPortable(story))) await acceptRaw(story);
    // What is claimed is run first: the next run would take it for the work of one that died.
    if (left.claimed === undefined && left.ended.length === 0 && isFull(story) && isPortable(story)) await renew(story);
    const claimed = left.claimed ?? (await claim(story, left.ended));
    left = await runClaimed(story, claimed);
    const isDrained = claimed.events.length < story.limits.claimSize;
    if (left.claimed !== undefined || left.ended.length > 0 || hasNews(story) || isFull(story) || !isDrained) continue;
    if ((await rest(story)) || story.dueAtMs !== null || claimed.events.length > 0) continue;
    if (await close(story)) return;
  }
};

/** One owner's events of one scope key, in order of acceptance, one after another; ends when nothing has come for a while. */
export const runScope = async (...args: readonly unknown[]): Promise<void> => {
  const start = requireStart(args);
  const story = createStory(start, start.carry ?? NOTHING);
  installScopeMessages(story);
  label(start);
  try {
    await run(story);
  } catch (error) {
    if (error instanceof ContinueAsNew || isCancellation(error) || error instanceof TemporalFailure) throw error;
    throw ApplicationFailure.nonRetryable(error instanceof Error ? `${error.name}: ${error.message}` : String(error), RUN_FAILURES.internalError);
  }
};
