import { Context } from '@temporalio/activity';
import { SWEEP_TYPE } from '../packages/contracts/agent-signal-scope.ts';
import { execAgentWorkflowId } from '../packages/contracts/exec-agent.ts';
import { findSilentOperations } from '../packages/database/agent-operations.ts';
import { expireSignalRows, readOldestPending } from '../packages/database/signal-sweep.ts';
import { endAgentRun } from './agent-signal/end-run.ts';
import type { AgentSignalScopeDeps } from './agent-signal-scope.ts';

const HOUR_MS = 3_600_000;

/** Runs whose workflow is gone without a word are failed: their action is open again, and their scope hears of it. */
const endLostRuns = async ({ db, signals }: Pick<AgentSignalScopeDeps, 'db' | 'signals'>, taskQueue: string): Promise<number> => {
  let lost = 0;
  for (const operationId of await findSilentOperations(db)) {
    if (await signals.isRunning(execAgentWorkflowId(operationId))) continue;
    await endAgentRun({ db, signals }, { operationId, state: 'failed', steps: 0, reason: 'its workflow is gone', taskQueue });
    lost++;
  }
  return lost;
};

/** The activity of the sweeper: wakes what was missed, and once an hour empties what has been kept long enough. */
export const createAgentSignalSweepActivities = ({ db, signals, signalMeter }: AgentSignalScopeDeps): Record<string, () => Promise<unknown>> => {
  let expiredAtMs = 0;
  return {
    [`${SWEEP_TYPE}.sweep`]: async () => {
      const { taskQueue } = Context.current().info;
      const swept = await signals.sweep(taskQueue);
      signalMeter.oldestPending((await readOldestPending(db)) ?? 0);
      const lost = await endLostRuns({ db, signals }, taskQueue);
      if (Date.now() - expiredAtMs < HOUR_MS) return { ...swept, lost };
      expiredAtMs = Date.now();
      return { ...swept, lost, expired: await expireSignalRows(db) };
    },
  };
};
