import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import type { Database } from '../database/database.ts';
import { findClaimingWorkflows, findOpenRuns } from '../database/lease-reaping.ts';
import type { LapsedWorker } from '../database/lease-reaping.ts';
import { findDeadActivities, settleDeadActivity } from './dead-activities.ts';
import { inLanes } from './in-lanes.ts';
import { listOpenWorkflows } from './open-workflows.ts';

const PAGE = 100;
const AT_ONCE = 16;
const CALL_WITHIN_MS = 5_000;
const RECHECK_MS = 1_500;
const NOT_FOUND = 5; // grpc.status

/** What a sweep works on; `keep` answers before each page which of the workers are still to be swept, and none ends the sweep. */
export interface SweepInput {
  readonly client: Client;
  readonly db: Database;
  readonly workers: readonly LapsedWorker[];
  readonly keep: () => Promise<ReadonlySet<string>>;
  readonly signal: AbortSignal;
}

/**
 * Answers for everything that dead workers had under way, and tells how many activities that were. Workflows in which they hold claims come first,
 * then all open runs and whatever else is open on their queues, each with its children, in pages. Workflows in which something was found are looked at again
 * until nothing is: the server may hand a retry to a connection whose end it has not noticed.
 */
export async function sweepDeadWorkers(input: SweepInput): Promise<number> {
  const { client, db, workers } = input;
  const visits = createVisits(input);
  const taskQueues = [...new Set(workers.flatMap((worker) => worker.taskQueues))];
  await visits.visit(
    await findClaimingWorkflows(
      db,
      workers.map(({ identity }) => identity),
    ),
  );
  await visits.visit(await findOpenRuns(db));
  await visits.visit(await listOpenWorkflows(client, taskQueues));
  while (visits.struck().length > 0) {
    await delay(RECHECK_MS, undefined, { signal: input.signal });
    await visits.revisit();
  }
  return visits.settled();
}

interface Visit {
  readonly workflowId: string;
  readonly settled: number;
  readonly children: readonly string[];
}

interface Visits {
  /** Visits the workflows and their children, each once. */
  visit(workflowIds: readonly string[]): Promise<void>;
  /** Visits again those in which something was found last time. */
  revisit(): Promise<void>;
  readonly struck: () => readonly string[];
  readonly settled: () => number;
}

function createVisits({ client, keep }: SweepInput): Visits {
  const seen = new Set<string>();
  let struck: string[] = [];
  let settled = 0;
  const visitPage = async (page: readonly string[]): Promise<readonly string[]> => {
    const dead = await keep();
    if (dead.size === 0) return [];
    const visits = await inLanes(page, AT_ONCE, (workflowId) => visitWorkflow(client, dead, workflowId));
    struck.push(...visits.filter((visit) => visit.settled > 0).map(({ workflowId }) => workflowId));
    settled += visits.reduce((sum, visit) => sum + visit.settled, 0);
    return visits.flatMap(({ children }) => children);
  };
  const visit = async (workflowIds: readonly string[]): Promise<void> => {
    const fresh = [...new Set(workflowIds)].filter((workflowId) => !seen.has(workflowId));
    for (const workflowId of fresh) seen.add(workflowId);
    for (let from = 0; from < fresh.length; from += PAGE) await visit(await visitPage(fresh.slice(from, from + PAGE)));
  };
  const revisit = async (): Promise<void> => {
    const again = struck;
    struck = [];
    for (let from = 0; from < again.length; from += PAGE) await visitPage(again.slice(from, from + PAGE));
  };
  return { visit, revisit, struck: () => struck, settled: () => settled };
}

async function visitWorkflow(client: Client, dead: ReadonlySet<string>, workflowId: string): Promise<Visit> {
  const { workflowService: service, options } = client;
  const within = <T>(call: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + CALL_WITHIN_MS, call);
  try {
    const described = await within(() => service.describeWorkflowExecution({ namespace: options.namespace, execution: { workflowId } }));
    const runId = described.workflowExecutionInfo?.execution?.runId ?? '';
    const children = described.pendingChildren.flatMap((child) => child.workflowId ?? []);
    const found = findDeadActivities(described.pendingActivities, dead);
    // Should a dead worker have it in its cache, its next task would first wait there in vain.
    if (found.length > 0) await within(() => service.resetStickyTaskQueue({ namespace: options.namespace, execution: { workflowId, runId } }));
    const settled = await inLanes(found, AT_ONCE, (activity) => within(() => settleDeadActivity(client, { workflowId, runId }, activity)));
    return { workflowId, settled: settled.filter(Boolean).length, children };
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return { workflowId, settled: 0, children: [] };
    throw error;
  }
}
