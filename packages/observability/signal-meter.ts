import type { MetricMeter } from '@temporalio/common';
import { SIGNAL_METRICS } from '../contracts/metrics.ts';
import type { StepResult } from '../contracts/signal-activities.ts';

/** One handler call as the meter sees it. */
export interface MeteredStep {
  readonly handlerId: string;
  readonly sourceType: string;
}

/** Metrics of one process's handler calls; without an exporter in the process every call does nothing. */
export interface SignalMeter {
  /** Counts a call that was answered, and how long it took. */
  stepEnded(step: MeteredStep, result: StepResult, seconds: number): void;
  /** A call that is to be made again. */
  stepRetried(handlerId: string, seconds: number): void;
  /** What a sweep saw; 0 once no sweep of this process has followed for a while. */
  oldestPending(seconds: number): void;
}

/** Bucket bounds of the histogram, for the exporter. */
export const SIGNAL_BUCKETS: Readonly<Record<string, readonly number[]>> = {
  [SIGNAL_METRICS.handlerDuration]: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
};

/** Any worker sweeps, every 30 s: what this one saw is no news any more when it has not swept for so long. */
const SWEPT_ELSEWHERE_MS = 90_000;

/** Creates the meter over one of the SDK. */
export const createSignalMeter = (meter: MetricMeter): SignalMeter => {
  const handlers = meter.createCounter(SIGNAL_METRICS.handlers, 'calls', 'Handler calls by what they answered');
  const nodes = meter.createCounter(SIGNAL_METRICS.nodes, 'nodes', 'Signals and actions that handlers made');
  const actions = meter.createCounter(SIGNAL_METRICS.actions, 'actions', 'Actions by their result');
  const events = meter.createCounter(SIGNAL_METRICS.events, 'events', 'Events that a handler call ended, by their state');
  const durations = meter.createHistogram(SIGNAL_METRICS.handlerDuration, 'float', 's', 'Seconds of one handler call');
  const oldest = meter.createGauge(SIGNAL_METRICS.oldestPending, 'float', 's', 'Age of the oldest pending event');
  let fading: NodeJS.Timeout | undefined;
  return {
    stepEnded: ({ handlerId, sourceType }, { answer, settled }, seconds) => {
      handlers.add(1, { handler: handlerId, answer: answer.status });
      durations.record(seconds, { handler: handlerId });
      if (answer.status === 'executed') actions.add(1, { handler: handlerId, result: answer.result });
      if ('nodes' in answer) for (const { kind, type } of answer.nodes) nodes.add(1, { kind, type });
      if (settled !== null) events.add(1, { source_type: sourceType, state: settled });
    },
    stepRetried: (handlerId, seconds) => {
      handlers.add(1, { handler: handlerId, answer: 'retried' });
      durations.record(seconds, { handler: handlerId });
    },
    oldestPending: (seconds) => {
      oldest.set(seconds);
      clearTimeout(fading);
      fading = setTimeout(() => oldest.set(0), SWEPT_ELSEWHERE_MS).unref();
    },
  };
};
