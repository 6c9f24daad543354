import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';

/** The workflow chain that a run row names as its owner. */
export interface OwnerChain {
  readonly workflowId: string;
  readonly firstRunId: string;
}

/** Asks Temporal how long ago a chain closed, ms by this machine's clock; null: it is open; Infinity: it is unknown or replaced by another one. */
export function createCloseCheck(client: Client): (owner: OwnerChain) => Promise<number | null> {
  return async ({ workflowId, firstRunId }) => {
    try {
      const { status, closeTime, raw } = await client.workflow.getHandle(workflowId).describe();
      const first = raw.workflowExecutionInfo?.firstRunId;
      if (first && first !== firstRunId) return Infinity;
      if (status.name === 'RUNNING') return null;
      return closeTime === undefined ? Infinity : Date.now() - closeTime.getTime();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return Infinity;
      throw error;
    }
  };
}

/** Asks Temporal whether a run's owner is still open; a chain that is closed, replaced by another one, or unknown is not. */
export function createOwnerCheck(client: Client): (owner: OwnerChain) => Promise<boolean> {
  const msSinceClose = createCloseCheck(client);
  return async (owner) => (await msSinceClose(owner)) === null;
}
