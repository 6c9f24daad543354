import { ApplicationFailure } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { FlowChange, FlowStatus } from '../contracts/flow-activities.ts';
import { NO_LIMIT } from '../contracts/flow-limits.ts';
import { FLOW_MESSAGES } from '../contracts/flow-messages.ts';
import type { FlowTell } from '../contracts/flow-messages.ts';
import { findFlowLimitProblem } from '../contracts/limits.ts';
import { heldBy } from '../flow-control/limiter-state.ts';
import type { LimiterEvent } from '../flow-control/limiter-state.ts';
import type { LimiterStory } from './limiter.ts';
import { flowCalls } from './limiter-calls.ts';

const tellSignal = defineSignal<[FlowTell]>(FLOW_MESSAGES.tell);
const refreshSignal = defineSignal(FLOW_MESSAGES.refresh);
const statusQuery = defineQuery<FlowStatus>(FLOW_MESSAGES.status);
const setUpdate = defineUpdate<FlowStatus, [unknown?]>(FLOW_MESSAGES.set);
const pauseUpdate = defineUpdate<FlowStatus, [unknown?]>(FLOW_MESSAGES.pause);
const resumeUpdate = defineUpdate<FlowStatus, [unknown?]>(FLOW_MESSAGES.resume);

const toEvent = (tell: FlowTell, key: string): LimiterEvent | null => {
  // A signal may come from anywhere: what is not ours is passed over.
  if (typeof tell !== 'object' || tell === null || tell.v !== 1 || tell.key !== key) return null;
  if (tell.kind === 'ask') return { kind: 'asked', ask: tell };
  return tell.kind === 'hold' ? { kind: 'held', untilMs: Date.now() + tell.holdMs } : null;
};

/** What holds and waits now. */
const describeStatus = ({ state }: LimiterStory): FlowStatus => ({
  key: state.key,
  limit: state.limit,
  source: state.source,
  isPaused: state.isPaused,
  heldUntil: state.holdUntilMs === null ? null : new Date(state.holdUntilMs).toISOString(),
  permits: state.leases.reduce((sum, lease) => sum + heldBy(lease), 0),
  runs: state.leases.map((lease) => ({
    workflowId: lease.owner.workflowId,
    permits: heldBy(lease),
    want: lease.want,
    startsWaiting: Math.max(0, lease.startsAsked - lease.startsGranted),
    since: new Date(lease.sinceMs).toISOString(),
  })),
  asOf: new Date().toISOString(),
});

const SHOWN_RUNS = 50;

/** The same for the Temporal UI: one markdown table. */
export const describeLimiter = (story: LimiterStory): string => {
  const { limit, source, isPaused, heldUntil, permits, runs } = describeStatus(story);
  const state = isPaused ? 'paused' : heldUntil === null ? 'open' : `held until ${heldUntil}`;
  const head = `${state} · ${limit.parallelism ?? '∞'} at once · ${limit.ratePerSecond ?? '∞'}/s · set by ${source} · ${permits} permits held by ${runs.length} runs`;
  const rows = runs.slice(0, SHOWN_RUNS).map((run) => `| ${run.workflowId} | ${run.permits} | ${run.want} | ${run.startsWaiting} |`);
  return [head, '', '| run | permits | could use | starts waiting |', '|---|---|---|---|', ...rows].join('\n');
};

const refuse = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, RUN_FAILURES.invalidInput);

const requireChange = (given?: unknown): void => {
  const problem = findFlowLimitProblem(given);
  if (problem !== undefined) throw refuse(problem);
};

const requireNothing = (given?: unknown): void => {
  const isNothing = given === undefined || given === null || (typeof given === 'object' && Object.keys(given).length === 0);
  if (!isNothing) throw refuse('expected no argument');
};

/** Registers what a limiter hears; call it before the first await. */
export const installLimiterMessages = (story: LimiterStory): void => {
  const change = async (more: Omit<FlowChange, 'key'>): Promise<FlowStatus> => {
    const setting = await flowCalls.saveSetting({ key: story.key, ...more });
    story.events.push({ kind: 'configured', ...setting });
    const { limit, ...rest } = setting;
    return { ...describeStatus(story), ...rest, ...(limit === null ? {} : { limit }) };
  };
  setHandler(tellSignal, (tell) => {
    story.signals++;
    const event = toEvent(tell, story.key);
    if (event !== null) story.events.push(event);
  });
  setHandler(refreshSignal, () => void (story.mustLoad = true), { description: 'Reads the stored setting again.' });
  setHandler(statusQuery, () => describeStatus(story), { description: 'Limit, its source, holders and waiters.' });
  setHandler(setUpdate, (given) => change({ limit: { ...NO_LIMIT, ...(given as object) } }), {
    description: 'Sets {parallelism?, ratePerSecond?}; what is left out is unbounded.',
    validator: requireChange,
  });
  setHandler(pauseUpdate, () => change({ isPaused: true }), { description: 'Starts nothing more on this key.', validator: requireNothing });
  setHandler(resumeUpdate, () => change({ isPaused: false }), { description: 'Goes on after a pause.', validator: requireNothing });
};
