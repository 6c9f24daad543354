import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import type { History } from './corpus.ts';

type Event = NonNullable<History['events']>[number];

/** Bytes of the data of all payloads somewhere in a value. */
const countBytes = (value: unknown): number => {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, member]) => sum + (key === 'metadata' ? 0 : countBytes(member)), 0);
};

const countTextBytes = (payload: Payload | null | undefined): number =>
  payload ? Buffer.byteLength(defaultPayloadConverter.fromPayload<string>(payload)) : 0;

const eventsOf = ({ events }: History): readonly Event[] => events ?? [];

const largest = (sizes: readonly number[]): number => Math.max(0, ...sizes);

/** Decoded sizes, bytes, of what a history carries; 0 where it has none of the kind. */
export interface Sizes {
  readonly chunkInput: number;
  readonly receipt: number;
  readonly failure: number;
  readonly failureMessage: number;
  readonly carriedState: number;
  readonly summary: number;
  readonly workflowTask: number;
}

/** Commands of one workflow task and what woke it, together: the greatest of the history. */
const measureTasks = (events: readonly Event[]): number => {
  const tasks: number[] = [0];
  for (const event of events) {
    if (event.workflowTaskStartedEventAttributes ?? event.workflowTaskCompletedEventAttributes) tasks.push(0);
    tasks.push((tasks.pop() ?? 0) + countBytes(event));
  }
  return largest(tasks);
};

/** Measures a history. */
export const measure = (history: History): Sizes => {
  const events = eventsOf(history);
  const failures = events.flatMap(
    (event) => event.activityTaskFailedEventAttributes?.failure ?? event.workflowExecutionFailedEventAttributes?.failure ?? [],
  );
  return {
    chunkInput: largest(events.map((event) => countBytes(event.startChildWorkflowExecutionInitiatedEventAttributes?.input))),
    receipt: largest(events.map((event) => countBytes(event.activityTaskCompletedEventAttributes?.result))),
    failure: largest(failures.map((failure) => Buffer.byteLength(JSON.stringify(failure)))),
    failureMessage: largest(failures.map(({ message }) => Buffer.byteLength(message ?? ''))),
    carriedState: largest(events.map((event) => countBytes(event.workflowExecutionContinuedAsNewEventAttributes?.input))),
    summary: largest(events.map((event) => countTextBytes(event.userMetadata?.summary))),
    workflowTask: measureTasks(events),
  };
};

/** Events from the first schedule of an activity of this verb to the last completion of one, and how often it was scheduled. */
export const countSteadyEvents = (
  history: History,
  verb: 'executeItem' | 'executeSlice' | 'runHandler',
): { readonly events: number; readonly scheduled: number } => {
  const events = eventsOf(history);
  const isOurs = ({ activityTaskScheduledEventAttributes: activity }: Event): boolean => activity?.activityType?.name?.endsWith(`.${verb}`) ?? false;
  const last = events.findLastIndex(({ activityTaskCompletedEventAttributes: completed }) => completed);
  return { events: last + 1 - events.findIndex(isOurs), scheduled: events.filter(isOurs).length };
};

/** Activities of a history, of whatever type. */
export const countActivities = (history: History): number => eventsOf(history).filter((event) => event.activityTaskScheduledEventAttributes).length;
