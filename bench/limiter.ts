import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';

/** Workflow id of the limiter of a key. */
export const limiterId = (key: string): string => `flow-control/${key}`;

/** Why a capped row does not count, or undefined where a limiter ran for its key. */
export const findLimitFault = async (client: Client, key: string): Promise<string | undefined> => {
  try {
    await client.workflow.getHandle(limiterId(key)).describe();
    return undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'the limit was not enforced: no limiter ran for its key';
    throw error;
  }
};
