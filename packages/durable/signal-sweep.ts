import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { SWEEP_TYPE } from '../contracts/agent-signal-scope.ts';

type Named = Record<string, (request: unknown) => Promise<unknown>>;

/** One look at all scopes; a Schedule starts it every half minute. */
export const runSweep = async (): Promise<unknown> => {
  const sweep = proxyActivities<Named>({
    startToCloseTimeout: '25 seconds',
    retry: { maximumAttempts: 2 },
    summary: `sweep ${workflowInfo().taskQueue}`,
  })[`${SWEEP_TYPE}.sweep`];
  return sweep?.({});
};
