import { ActivityCancellationType } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { SCOPE_TYPE } from '../contracts/agent-signal-scope.ts';
import { cutText } from '../contracts/json-value.ts';
import type { ScopeActivities } from '../contracts/signal-activities.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { callNamed } from './named-activity.ts';

const SUMMARY_BYTES = 200;

/** What a scope does with its own rows must come to an end, however long the database is away. */
const keeping: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  priority: { priorityKey: 1 },
};

/** A handler's call: the one retry layer of its errors. */
const handling = ({ attempts, attemptMs, retryFirstMs, retryMaxMs, retryTotalMs }: SignalLimits): ActivityOptions => ({
  startToCloseTimeout: attemptMs,
  scheduleToCloseTimeout: retryTotalMs,
  retry: { initialInterval: retryFirstMs, backoffCoefficient: 2, maximumInterval: retryMaxMs, maximumAttempts: attempts },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

type Verb = keyof ScopeActivities;

const call = <V extends Verb>(verb: V, request: Parameters<ScopeActivities[V]>[0], options: ActivityOptions): ReturnType<ScopeActivities[V]> =>
  callNamed(`${SCOPE_TYPE}.${verb}`, request, options);

const keep = <V extends Exclude<Verb, 'runHandler' | 'runAction'>>(verb: V, request: Parameters<ScopeActivities[V]>[0], summary: string) =>
  call(verb, request, { ...keeping, summary: cutText(summary, SUMMARY_BYTES) });

type StepRequest = Parameters<ScopeActivities['runHandler']>[0];

/** The activities of a scope, with their bounds and summaries. */
export const scopeCalls = {
  claim: (request: Parameters<ScopeActivities['claim']>[0]) => keep('claim', request, 'claim'),
  accept: (request: Parameters<ScopeActivities['accept']>[0]) => keep('accept', request, `accept ${request.raw.length} signals`),
  settle: (request: Parameters<ScopeActivities['settle']>[0]) => keep('settle', request, `settle ${request.outcome.status}`),
  settleStart: (request: Parameters<ScopeActivities['settleStart']>[0]) => keep('settleStart', request, `settle start of ${request.operationId}`),
  giveUp: (request: Parameters<ScopeActivities['giveUp']>[0]) => keep('giveUp', request, `give up ${request.handlerId}`),
  /** `sourceId` is for the summary: handler, node type, fact. */
  run: (request: StepRequest, { limits, sourceId }: { readonly limits: SignalLimits; readonly sourceId: string }) =>
    call(request.node.kind === 'action' ? 'runAction' : 'runHandler', request, {
      ...handling(limits),
      summary: cutText(`${request.handlerId} · ${request.node.type} · ${sourceId}`, SUMMARY_BYTES),
    }),
};
