import type { WorkflowHandle } from '@temporalio/client';
import type { Rig } from '../../packages/testing/rig.ts';

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** One run of a chain that continues as new: its events and the size that the server counts. */
export interface ChainedRun {
  readonly runId: string;
  readonly events: readonly Event[];
  readonly bytes: number;
}

/** The histories of a chain from its first run to its last. */
export async function readChain(rig: Rig, workflowId: string, firstRunId: string): Promise<readonly ChainedRun[]> {
  const runs: ChainedRun[] = [];
  for (let runId: string | undefined = firstRunId; runId !== undefined;) {
    const handle = rig.client.workflow.getHandle(workflowId, runId);
    const events: readonly Event[] = (await handle.fetchHistory()).events ?? [];
    runs.push({ runId, events, bytes: (await handle.describe()).historySize ?? 0 });
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}

/** The attributes of one kind that the events of a chain carry. */
export const pick = <K extends keyof Event>(chain: readonly ChainedRun[], kind: K): NonNullable<Event[K]>[] =>
  chain.flatMap(({ events }) => events.map((event) => event[kind])).filter((attributes) => attributes !== null && attributes !== undefined);

/** Bytes of all payloads somewhere in a value. */
export const payloadBytes = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.length;
  return typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, member) => sum + payloadBytes(member), 0) : 0;
};

/** Greatest number of children of a chain that were open at once. */
export const maxOpenChildren = (chain: readonly ChainedRun[]): number => {
  let open = 0;
  let most = 0;
  for (const event of chain.flatMap(({ events }) => events)) {
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) open++;
    if (
      event.childWorkflowExecutionCompletedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionFailedEventAttributes
    )
      open--;
    most = Math.max(most, open);
  }
  return most;
};

/** Greatest number of payload bytes that came to, or went out of, one workflow task of a chain. */
export const maxTaskBytes = (chain: readonly ChainedRun[]): number => {
  let most = 0;
  let batch = 0;
  for (const event of chain.flatMap(({ events }) => events)) {
    if (event.workflowTaskStartedEventAttributes ?? event.workflowTaskCompletedEventAttributes) batch = 0;
    batch += payloadBytes(event);
    most = Math.max(most, batch);
  }
  return most;
};
