import { ActivityCancellationType } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import type { FlowActivities } from '../contracts/flow-activities.ts';
import { LIMITER_TYPE } from '../contracts/flow-control.ts';
import { callNamed } from './named-activity.ts';

const bounds: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  priority: { priorityKey: 1 },
};

const call = <V extends keyof FlowActivities>(
  verb: V,
  request: Parameters<FlowActivities[V]>[0],
  { summary, ...more }: ActivityOptions & { readonly summary: string },
): ReturnType<FlowActivities[V]> => callNamed(`${LIMITER_TYPE}.${verb}`, request, { ...bounds, ...more, summary });

/** The activities around limiters, with their bounds; a lost one is repeated, since every message is absolute. */
export const flowCalls = {
  tell: (message: Parameters<FlowActivities['tell']>[0]) => call('tell', message, { summary: `flow-control:tell:${message.key}`.slice(0, 200) }),
  loadSetting: (key: string) => call('loadSetting', { key }, { summary: 'flow-control:load-setting' }),
  saveSetting: (change: Parameters<FlowActivities['saveSetting']>[0]) =>
    call('saveSetting', change, { summary: 'flow-control:save-setting', scheduleToCloseTimeout: '1 minute' }),
  findClosed: (owners: Parameters<FlowActivities['findClosed']>[0]['owners']) =>
    call('findClosed', { owners }, { summary: `flow-control:check ${owners.length} runs`, scheduleToCloseTimeout: '30 seconds' }),
};
