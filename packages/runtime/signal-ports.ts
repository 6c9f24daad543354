import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import type { SignalModel } from '../contracts/signal-model.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { Database } from '../database/database.ts';
import { wakeScope } from './signal-client.ts';
import { sweepScopes } from './signal-sweep.ts';
import type { SweepAnswer } from './signal-sweep.ts';

/** What the activities of scopes reach Temporal by. */
export interface SignalPorts {
  readonly limits: SignalLimits;
  readonly isOnByDefault: boolean;
  readonly model: SignalModel | null;
  readonly wake: (scope: ScopeIdentity, taskQueue: string) => Promise<void>;
  readonly sweep: (taskQueue: string) => Promise<SweepAnswer>;
  readonly isRunning: (workflowId: string) => Promise<boolean>;
}

const isRunning = async (client: Client, workflowId: string): Promise<boolean> => {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};

/** Builds them for a process. */
export const createSignalPorts = (
  client: Client,
  { db, ...rules }: { readonly db: Database; readonly limits: SignalLimits; readonly isOnByDefault: boolean; readonly model: SignalModel | null },
): SignalPorts => ({
  ...rules,
  wake: async (scope, taskQueue) => void (await wakeScope(client, scope, taskQueue)),
  sweep: (taskQueue) => sweepScopes({ client, db, limits: rules.limits, taskQueue }),
  isRunning: (workflowId) => isRunning(client, workflowId),
});
