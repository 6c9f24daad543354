import { cutText } from '../contracts/json-value.ts';
import { ActivityCancellationType } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { PipelineActivities } from '../contracts/pipeline-activities.ts';
import { callNamed } from './named-activity.ts';

const CLEAN_UP_SECONDS = 30;
const SLICE_SLACK_MS = 6_000;
const CANCELLATION = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

// Waits 1, 2, 4, 8, 16, then 9 × 30 s: 301 s of an outage are outlasted (behaviour: numbers).
const entryRetry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 15 };

// The item's own attempts are claims in the ledger; this is only Temporal's cap over claims, free waits and outages.
const itemRetry = { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '60 seconds', maximumAttempts: 30 };

// Items share the queue's slots with what steers their run: where a backlog forms, steering goes first.
const STEERING = { priorityKey: 1 };

const bounds = {
  quick: {
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: '20 minutes',
    retry: entryRetry,
    cancellationType: CANCELLATION,
    priority: STEERING,
  },
  count: {
    startToCloseTimeout: '2 minutes',
    scheduleToCloseTimeout: '30 minutes',
    retry: entryRetry,
    cancellationType: CANCELLATION,
    priority: STEERING,
  },
  glance: {
    startToCloseTimeout: '5 seconds',
    scheduleToCloseTimeout: '8 seconds',
    retry: { maximumAttempts: 2 },
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    priority: STEERING,
  },
  cleanUp: {
    startToCloseTimeout: '15 seconds',
    scheduleToCloseTimeout: `${CLEAN_UP_SECONDS} seconds`,
    retry: { ...entryRetry, maximumInterval: '5 seconds' },
    cancellationType: CANCELLATION,
    priority: STEERING,
  },
} satisfies Record<string, ActivityOptions>;

interface Call<V> {
  readonly verb: V;
  readonly options: ActivityOptions;
  readonly summary: string;
}

type Request<V extends keyof PipelineActivities> = Parameters<PipelineActivities[V]>[0];
type Answer<V extends keyof PipelineActivities> = ReturnType<PipelineActivities[V]>;

const call = <V extends keyof PipelineActivities>(pipeline: string, { verb, options, summary }: Call<V>, request: Request<V>): Answer<V> =>
  callNamed(`${pipeline}.${verb}`, request, { ...options, summary });

const itemBounds = ({ itemTimeoutMs, heartbeatTimeoutMs }: Pick<RunPlan, 'itemTimeoutMs' | 'heartbeatTimeoutMs'>): ActivityOptions => ({
  startToCloseTimeout: itemTimeoutMs + SLICE_SLACK_MS,
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: itemRetry,
  cancellationType: CANCELLATION,
});

/** The one place where a pipeline's activities get their bounds, attempts and summaries; calls are named `<type>.<verb>`. */
export const pipelineCalls = ({ type, entity }: { readonly type: string; readonly entity: string }) => ({
  preflight: (request: Request<'preflight'>) =>
    call(type, { verb: 'preflight', options: bounds.quick, summary: `${entity}:process:preflight` }, request),
  countEligible: (request: Request<'countEligible'>) =>
    call(type, { verb: 'countEligible', options: bounds.count, summary: `${entity}:process:count` }, request),
  listPage: (request: Request<'listPage'>, page: number) =>
    call(type, { verb: 'listPage', options: bounds.quick, summary: `${entity}:paginate:page ${page}` }, request),
  readProgress: (request: Request<'readProgress'>) =>
    call(type, { verb: 'readProgress', options: bounds.glance, summary: `${entity}:process:progress` }, request),
  finalize: (request: Request<'finalize'>, hurried: boolean) =>
    call(type, { verb: 'finalize', options: hurried ? bounds.cleanUp : bounds.quick, summary: `${entity}:process:finalize` }, request),
  executeItem: (request: Request<'executeItem'>, plan: Pick<RunPlan, 'itemTimeoutMs' | 'heartbeatTimeoutMs'>) =>
    call(type, { verb: 'executeItem', options: itemBounds(plan), summary: cutSummary(`${entity}:execute:${request.itemId}`) }, request),
  executeSlice: (request: Request<'executeSlice'>, plan: Pick<RunPlan, 'itemTimeoutMs' | 'heartbeatTimeoutMs'>, label: string) =>
    call(type, { verb: 'executeSlice', options: itemBounds(plan), summary: label }, request),
});

export type PipelineCalls = ReturnType<typeof pipelineCalls>;

const SUMMARY_BYTES = 200;

const cutSummary = (text: string): string => cutText(text, SUMMARY_BYTES);
