import type { MetricMeter } from '@temporalio/common';
import { PIPELINE_METRICS } from '../contracts/metrics.ts';

/** How an item ended for its run. */
export type ItemEndOutcome = 'done' | 'skipped' | 'failed' | 'interrupted';

/** Metrics of one process's pipelines; without an exporter in the process every call does nothing. */
export interface PipelineMeter {
  /** An execution of an item's code began; call what it returns when the code has ended. */
  itemStarted(pipeline: string, attempt: number): () => void;
  itemsEnded(pipeline: string, outcome: ItemEndOutcome, count: number): void;
  /** An activity for items waited so long in its queue. */
  itemsWaited(pipeline: string, ms: number): void;
  redriven(pipeline: string): void;
}

/** Bucket bounds of the histograms, for the exporter: items take from a millisecond to the minutes of a model's answer. */
export const HISTOGRAM_BUCKETS: Readonly<Record<string, readonly number[]>> = {
  [PIPELINE_METRICS.itemQueueWait]: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  [PIPELINE_METRICS.itemDuration]: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_200],
  [PIPELINE_METRICS.itemAttempt]: [1, 2, 3, 4, 5, 10],
};

/** Creates the meter over one of the SDK, whose exporter the worker's runtime configures. */
export const createPipelineMeter = (meter: MetricMeter): PipelineMeter => {
  const items = meter.createCounter(PIPELINE_METRICS.items, 'items', 'Items by how they ended');
  const retries = meter.createCounter(PIPELINE_METRICS.itemRetries, 'executions', 'Executions of items after their first attempt');
  const redrives = meter.createCounter(PIPELINE_METRICS.redrives, 'runs', 'Runs opened to execute failed items again');
  const inFlight = meter.createGauge(PIPELINE_METRICS.itemsInFlight, 'int', 'items', 'Items whose code runs now in this process');
  const attempts = meter.createHistogram(PIPELINE_METRICS.itemAttempt, 'int', 'attempts', 'Which attempt of its item an execution was');
  const durations = meter.createHistogram(PIPELINE_METRICS.itemDuration, 'float', 's', "Seconds of one execution of an item's code");
  const waits = meter.createHistogram(PIPELINE_METRICS.itemQueueWait, 'float', 's', 'Seconds that an activity for items waited in its queue');
  const running = new Map<string, number>();
  const move = (pipeline: string, by: 1 | -1): void => {
    const count = (running.get(pipeline) ?? 0) + by;
    running.set(pipeline, count);
    inFlight.set(count, { pipeline });
  };
  return {
    itemStarted: (pipeline, attempt) => {
      const startedAt = performance.now();
      move(pipeline, 1);
      attempts.record(attempt, { pipeline });
      if (attempt > 1) retries.add(1, { pipeline });
      return () => {
        move(pipeline, -1);
        durations.record((performance.now() - startedAt) / 1_000, { pipeline });
      };
    },
    itemsEnded: (pipeline, outcome, count) => {
      if (count > 0) items.add(count, { pipeline, outcome });
    },
    // The server set the beginning and this machine the end: a clock that is behind must not count below zero.
    itemsWaited: (pipeline, ms) => waits.record(Math.max(0, ms) / 1_000, { pipeline }),
    redriven: (pipeline) => redrives.add(1, { pipeline }),
  };
};
