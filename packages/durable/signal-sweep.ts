import { workflowInfo } from '@temporalio/workflow';
import { SWEEP_TYPE } from '../contracts/agent-signal-scope.ts';
import { callNamed } from './named-activity.ts';

/** One look at all scopes; a Schedule starts it every half minute. */
export const runSweep = (): Promise<unknown> =>
  callNamed(
    `${SWEEP_TYPE}.sweep`,
    {},
    { startToCloseTimeout: '25 seconds', retry: { maximumAttempts: 2 }, summary: `sweep ${workflowInfo().taskQueue}` },
  );
