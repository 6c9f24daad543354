import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  getExternalWorkflowHandle,
  makeContinueAsNewFunc,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { LimiterStart } from '../contracts/flow-activities.ts';
import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import { reduceLimiter } from '../flow-control/limiter.ts';
import { createLimiterState } from '../flow-control/limiter-state.ts';
import type { LimiterEvent, LimiterState, Sent } from '../flow-control/limiter-state.ts';
import { flowCalls } from './limiter-calls.ts';
import { recordGrants } from './limiter-metrics.ts';
import { describeLimiter, installLimiterMessages } from './limiter-messages.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

const OWNER_CHECK_MS = 2_000;
const IDLE_MS = 600_000;
const EVENT_BUDGET = 3_000;
const SIGNAL_BUDGET = 1_500;

/** A limiter at work; the story and its message handlers share it. */
export interface LimiterStory {
  readonly key: string;
  readonly eventBudget: number;
  readonly events: LimiterEvent[];
  state: LimiterState;
  /** The stored setting may have changed. */
  mustLoad: boolean;
  signals: number;
  sending: number;
  isChecking: boolean;
}

/** Tells a run; one that is gone is found by the look at the owners, two seconds after its end at the earliest. */
const send = (story: LimiterStory, { owner, grant }: Sent): void => {
  story.sending++;
  getExternalWorkflowHandle(owner.workflowId)
    .signal(FLOW_MESSAGES.grant, grant)
    .catch(() => undefined)
    .finally(() => void story.sending--);
};

const checkOwners = async (story: LimiterStory): Promise<void> => {
  story.isChecking = true;
  try {
    const closed = await flowCalls.findClosed(story.state.leases.map(({ owner }) => owner));
    story.events.push(...closed.map((owner) => ({ kind: 'closed', owner }) as const));
  } catch {
    // Temporal or a worker is away: the next look tells.
  } finally {
    story.isChecking = false;
  }
};

const load = async (story: LimiterStory): Promise<void> => {
  story.mustLoad = false;
  story.events.push({ kind: 'configured', ...(await flowCalls.loadSetting(story.key)) });
};

const isFull = ({ signals, eventBudget }: LimiterStory): boolean => {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return historyLength >= eventBudget || signals >= SIGNAL_BUDGET || continueAsNewSuggested;
};

const isQuiet = ({ sending, isChecking }: LimiterStory): boolean => sending === 0 && !isChecking && allHandlersFinished();

/** Hands the whole state over as it was sent to the runs; what arrives meanwhile is handed over unread. */
const renew = async (story: LimiterStory): Promise<never> => {
  await condition(() => isQuiet(story));
  const { key, events, eventBudget, state } = story;
  const next: LimiterStart<LimiterState> & { readonly events: readonly LimiterEvent[] } = {
    v: 1,
    key,
    limit: state.limit,
    eventBudget,
    state,
    events,
  };
  return makeContinueAsNewFunc<(next: LimiterStart) => Promise<void>>({ workflowTaskTimeout: TASK_TIMEOUT })(next);
};

/** Waits for the next message, or until so many ms have passed. */
const rest = async (story: LimiterStory, ms: number): Promise<void> => {
  await condition(() => story.events.length > 0 || story.mustLoad, Math.max(1, Math.ceil(ms)));
};

const run = async (story: LimiterStory): Promise<void> => {
  let idleSinceMs = Date.now();
  let checkAtMs = Date.now() + OWNER_CHECK_MS;
  for (;;) {
    if (story.mustLoad) await load(story);
    const step = reduceLimiter(story.state, story.events.splice(0), Date.now());
    recordGrants(story.state, step);
    story.state = step.state;
    for (const sent of step.sent) send(story, sent);
    setCurrentDetails(describeLimiter(story));
    if (isFull(story)) await renew(story);
    const isIdle = step.state.leases.length === 0 && step.wakeMs === null;
    if (!isIdle) idleSinceMs = Date.now();
    if (isIdle && Date.now() >= idleSinceMs + IDLE_MS && isQuiet(story) && story.events.length === 0) return;
    const dueMs = [step.wakeMs ?? Infinity, isIdle ? idleSinceMs + IDLE_MS : checkAtMs];
    await rest(story, Math.min(...dueMs) - Date.now());
    if (!isIdle && !story.isChecking && Date.now() >= checkAtMs) {
      checkAtMs = Date.now() + OWNER_CHECK_MS;
      void checkOwners(story);
    }
  }
};

/** A limiter is started by runs, but anybody may try. */
const requireStart = (start: unknown): void => {
  const { v, key, limit } = (typeof start === 'object' && start !== null ? start : {}) as Partial<LimiterStart>;
  if (v !== 1 || typeof key !== 'string' || key === '' || typeof limit !== 'object' || limit === null)
    throw ApplicationFailure.nonRetryable(
      'a limiter is started by runs that name its key; change limits with `strata flow set`',
      RUN_FAILURES.invalidInput,
    );
};

/** The limiter of one key: takes what runs ask and operators set, divides permits and start times, and ends after ten idle minutes. */
export const runLimiter = async (start: LimiterStart<LimiterState> & { readonly events?: readonly LimiterEvent[] }): Promise<void> => {
  requireStart(start);
  const { key, limit, eventBudget = EVENT_BUDGET } = start;
  const story: LimiterStory = {
    key,
    eventBudget,
    events: [...(start.events ?? [])],
    state: start.state ?? createLimiterState(key, limit, 'contract'),
    mustLoad: start.state === undefined,
    signals: 0,
    sending: 0,
    isChecking: false,
  };
  installLimiterMessages(story);
  await run(story);
};
