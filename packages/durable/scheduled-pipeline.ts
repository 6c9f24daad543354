import { workflowInfo } from '@temporalio/workflow';
import type { PipelineContract } from '../contracts/pipeline.ts';
import { pipeline } from './pipeline.ts';

const SCHEDULED_START = 'TemporalScheduledStartTime';

/** When the Schedule meant this run to start, ISO; undefined: no Schedule started it. */
const readScheduledStart = (): string | undefined => {
  const [at] = (workflowInfo().searchAttributes[SCHEDULED_START] ?? []) as readonly unknown[];
  return at === undefined ? undefined : new Date(at as string | number).toISOString();
};

/** A pipeline whose field says when it was meant to run: a Schedule's nominal time where the input does not say. */
export const scheduledPipeline = <C extends PipelineContract>(contract: C, field: string): ReturnType<typeof pipeline> => {
  const run = pipeline(contract);
  return (...args) => {
    const [input, ...more] = args;
    const isEmpty = typeof input === 'object' && input !== null && !Array.isArray(input) && !(field in input);
    const scheduledAt = isEmpty ? readScheduledStart() : undefined;
    return run(...((scheduledAt === undefined ? args : [{ ...(input as object), [field]: scheduledAt }, ...more]) as typeof args));
  };
};
