import type { Client } from '@temporalio/client';
import { CHUNK_TYPE } from '../contracts/chunk.ts';

const MOST = 1_000;
const PAGE = 200;
const WITHIN_MS = 10_000;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Workflow ids of what is open on the given queues besides chunk children, newest first, at most 1,000: runs in their entry, which have no row yet, dry
 * runs, limiters. From Temporal's visibility, which lags by a moment.
 */
export async function listOpenWorkflows(client: Client, taskQueues: readonly string[]): Promise<readonly string[]> {
  const query = `ExecutionStatus = 'Running' and TaskQueue in (${taskQueues.map(quoted).join(', ')}) and WorkflowType != '${CHUNK_TYPE}'`;
  return client.withDeadline(Date.now() + WITHIN_MS, async () => {
    const found: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query, pageSize: PAGE })) if (found.push(workflowId) >= MOST) break;
    return found;
  });
}
