import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';

/** The workflow chain that a run row names as its owner. */
export interface OwnerChain {
  readonly workflowId: string;
  readonly firstRunId: string;
}

/** Asks Temporal whether a run's owner is still open; a chain that is closed, replaced by another one, or unknown is not. */
export function createOwnerCheck(client: Client): (owner: OwnerChain) => Promise<boolean> {
  return async ({ workflowId, firstRunId }) => {
    try {
      const { status, raw } = await client.workflow.getHandle(workflowId).describe();
      const first = raw.workflowExecutionInfo?.firstRunId;
      return status.name === 'RUNNING' && (!first || first === firstRunId);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  };
}
