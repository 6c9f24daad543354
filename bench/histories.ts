import { isGrpcServiceError } from '@temporalio/client';
import type { Client, WorkflowHandle } from '@temporalio/client';

const NOT_FOUND = 5;

type Histories = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** One event of a history. */
export type HistoryEvent = NonNullable<Histories['events']>[number];

const readRun = async (client: Client, workflowId: string, runId?: string): Promise<readonly HistoryEvent[]> => {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return events ?? [];
};

/** Events of every run of a workflow's chain, oldest first; empty if there is no such workflow. */
export const readChain = async (client: Client, workflowId: string): Promise<readonly HistoryEvent[]> => {
  const runs: (readonly HistoryEvent[])[] = [];
  try {
    for (let runId: string | undefined; ;) {
      const events = await readRun(client, workflowId, runId);
      runs.unshift(events);
      runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
      if (runId === undefined) return runs.flat();
    }
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return [];
    throw error;
  }
};

/** Milliseconds since 1970 of an event. */
export const timeOf = ({ eventTime }: HistoryEvent): number => Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1_000_000;

/** Process id of the worker that last took a workflow task of a workflow; undefined where none did. */
export const findHolder = async (client: Client, workflowId: string): Promise<number | undefined> => {
  const events = await readChain(client, workflowId);
  const identity = events.findLast((event) => event.workflowTaskStartedEventAttributes)?.workflowTaskStartedEventAttributes?.identity;
  return identity === undefined || identity === null ? undefined : Number(identity.split('@')[0]);
};

/** True for a signal or an accepted update. */
export const isMessage = (event: HistoryEvent): boolean =>
  Boolean(event.workflowExecutionSignaledEventAttributes ?? event.workflowExecutionUpdateAcceptedEventAttributes);

/** When each chunk of a run ended, be it a child or a slice, in order. */
export const listChunkEnds = (events: readonly HistoryEvent[]): readonly number[] => {
  const isSlice = (event: HistoryEvent): boolean =>
    event.activityTaskScheduledEventAttributes?.activityType?.name?.endsWith('.executeSlice') === true;
  const slices = new Set(events.filter(isSlice).map(({ eventId }) => String(eventId)));
  const endsChunk = (event: HistoryEvent): boolean =>
    Boolean(event.childWorkflowExecutionCompletedEventAttributes) ||
    slices.has(String(event.activityTaskCompletedEventAttributes?.scheduledEventId ?? ''));
  return events.filter(endsChunk).map(timeOf);
};
