import { Context } from '@temporalio/activity';
import type { FlowActivities } from '../packages/contracts/flow-activities.ts';
import { LIMITER_TYPE } from '../packages/contracts/flow-control.ts';
import { loadFlowSettings, saveFlowChange } from '../packages/database/flow-settings.ts';
import type { RunnerDeps } from './runner/definition.ts';

/** A closed run's items have heard of its end by then, so that its permits can go to others. */
const CLOSED_MS = 2_000;

export type FlowControlDeps = Pick<RunnerDeps, 'db' | 'flow' | 'msSinceClose'>;

/** Activities around limiters: messages to them, their stored settings, and a look at their owners. */
export const createFlowControlActivities = (deps: FlowControlDeps): Record<string, (request: never) => Promise<unknown>> => {
  const activities: FlowActivities = {
    tell: (message) => deps.flow.tell(message, Context.current().info.taskQueue),
    loadSetting: async ({ key }) => {
      const settings = await loadFlowSettings(deps.db, [key]);
      return settings.get(key) ?? { limit: null, source: 'contract', isPaused: false };
    },
    saveSetting: (change) => saveFlowChange(deps.db, change),
    findClosed: async ({ owners }) => {
      const ages = await Promise.all(owners.map((owner) => deps.msSinceClose(owner)));
      return owners.filter((_, index) => (ages[index] ?? -1) >= CLOSED_MS);
    },
  };
  return Object.fromEntries(Object.entries(activities).map(([verb, activity]) => [`${LIMITER_TYPE}.${verb}`, activity as never]));
};
