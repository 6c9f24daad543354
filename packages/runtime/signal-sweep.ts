import type { Client } from '@temporalio/client';
import { scopeWorkflowId } from '../contracts/scope-identity.ts';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { Database } from '../database/database.ts';
import { findOutdated, findSleepers, findStuck, markBuild, markRestarted } from '../database/signal-sweep.ts';
import { readDeployment } from './deployment.ts';
import { inLanes } from './in-lanes.ts';
import { wakeScope } from './signal-client.ts';

const AT_ONCE = 10;
const TASK_PENDING_MS = 60_000;
const TASK_ATTEMPTS = 3;

/** What a sweep works on. */
export interface SignalSweepInput {
  readonly client: Client;
  readonly db: Database;
  readonly limits: SignalLimits;
  readonly taskQueue: string;
}

/** What a sweep did. */
export interface SweepAnswer {
  readonly woken: number;
  readonly restarted: number;
  /** Scopes that could not be reached: the next sweep finds them again. */
  readonly failed: number;
}

/** Works at all of them; answers how many failed. One that fails keeps none of the others from its turn. */
const countFailures = async <T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<number> => {
  const failures = await inLanes(all, AT_ONCE, (each) =>
    work(each).then(
      () => false,
      () => true,
    ),
  );
  return failures.filter(Boolean).length;
};

/** Whether a run's workflow task is not getting anywhere. */
const isStuck = async (client: Client, scope: ScopeIdentity): Promise<boolean> => {
  const { raw } = await client.workflow.getHandle(scopeWorkflowId(scope)).describe();
  const task = raw.pendingWorkflowTask;
  if (!task) return false;
  const seconds = Number(task.originalScheduledTime?.seconds ?? task.scheduledTime?.seconds ?? 0);
  return (task.attempt ?? 1) >= TASK_ATTEMPTS || Date.now() - seconds * 1_000 > TASK_PENDING_MS;
};

/** Ends a run that does not claim although events wait, and wakes the scope: its rows lose nothing. */
const restart = async ({ client, db, taskQueue }: SignalSweepInput, scope: ScopeIdentity): Promise<boolean> => {
  try {
    if (!(await isStuck(client, scope))) return false;
    await markRestarted(db, scope);
    await client.workflow.getHandle(scopeWorkflowId(scope)).terminate('its workflow task does not get anywhere; the events are in the inbox');
  } catch {
    return false;
  }
  await wakeScope(client, scope, taskQueue);
  return true;
};

/** Wakes every scope whose wake-up may have been lost, or whose consumer is of an older version, and restarts those that are stuck. */
export const sweepScopes = async (input: SignalSweepInput): Promise<SweepAnswer> => {
  const { client, db, limits, taskQueue } = input;
  const sleepers = await findSleepers(db, limits);
  let missed = await countFailures(sleepers, async (scope) => void (await wakeScope(client, scope, taskQueue)));
  const { currentBuildId } = await readDeployment(client);
  const outdated = currentBuildId === undefined ? [] : await findOutdated(db, currentBuildId);
  missed += await countFailures(outdated, async (scope) => {
    const { status } = await client.workflow
      .getHandle(scopeWorkflowId(scope))
      .describe()
      .catch(() => ({ status: { name: 'UNKNOWN' } }));
    if (status.name === 'RUNNING') await wakeScope(client, scope, taskQueue);
    await markBuild(db, scope, currentBuildId as string);
  });
  let restarted = 0;
  const unrestarted = await countFailures(await findStuck(db), async (scope) => {
    if (await restart(input, scope)) restarted++;
  });
  return { woken: sleepers.length + outdated.length - missed, restarted, failed: missed + unrestarted };
};
