import { Context } from '@temporalio/activity';
import { SWEEP_TYPE } from '../packages/contracts/agent-signal-scope.ts';
import { expireSignalRows } from '../packages/database/signal-sweep.ts';
import type { AgentSignalScopeDeps } from './agent-signal-scope.ts';

const HOUR_MS = 3_600_000;

/** The activity of the sweeper: wakes what was missed, and once an hour empties what has been kept long enough. */
export const createAgentSignalSweepActivities = ({ db, signals }: AgentSignalScopeDeps): Record<string, () => Promise<unknown>> => {
  let expiredAtMs = 0;
  return {
    [`${SWEEP_TYPE}.sweep`]: async () => {
      const swept = await signals.sweep(Context.current().info.taskQueue);
      if (Date.now() - expiredAtMs < HOUR_MS) return swept;
      expiredAtMs = Date.now();
      return { ...swept, expired: await expireSignalRows(db) };
    },
  };
};
