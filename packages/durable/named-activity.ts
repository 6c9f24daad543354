import { proxyActivities } from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';

type Named = Record<string, (request: unknown) => Promise<unknown>>;

/** The one form of an activity call: `<owner>.<verb>`, one request; what it answers is known by the verb. */
export const callNamed = <Answer>(name: string, request: unknown, options: ActivityOptions): Answer =>
  proxyActivities<Named>(options)[name]?.(request) as Answer;
