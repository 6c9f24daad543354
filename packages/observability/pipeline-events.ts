import type { MetricMeter } from '@temporalio/common';
import { PIPELINE_EVENTS } from '../contracts/metrics.ts';
import type { PipelineEvent } from '../contracts/metrics.ts';

/** Counts events of one kind. */
export type RecordEvents = (event: PipelineEvent, count?: number) => void;

/** Recorder over a meter of the SDK, whose exporter the worker's runtime configures. */
export const createEventRecorder = (meter: MetricMeter): RecordEvents => {
  const counter = meter.createCounter(PIPELINE_EVENTS, 'events', 'Operations of pipelines by layer and status');
  return ({ pipeline, layer, operation, status, errorType }, count = 1) =>
    counter.add(count, { pipeline, layer, operation, status, error_type: errorType ?? '' });
};
