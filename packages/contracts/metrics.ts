/** Counter of what pipelines do; no ids in its labels, so that its series stay few. */
export const PIPELINE_EVENTS = 'strata_pipeline_events_total';

/** Labels of the counter; an abort is no error, `deferred` was told to come again later. */
export interface PipelineEvent {
  readonly pipeline: string;
  readonly layer: 'process' | 'paginate' | 'execute';
  readonly operation: 'trigger' | 'entry' | 'page' | 'chunk' | 'item' | 'finalize';
  readonly status: 'success' | 'error' | 'abort' | 'deferred';
  readonly errorType?: string;
}

/** Metrics of items and runs, each with the one label `pipeline`. */
export const PIPELINE_METRICS = {
  /** Counter: items by how they ended: `outcome` is `done`, `skipped`, `failed` or `interrupted`. */
  items: 'strata_items_total',
  /** Gauge: items whose code runs now in this process. */
  itemsInFlight: 'strata_items_in_flight',
  /** Histogram, seconds: from the scheduling of an item's or a slice's activity to its start. */
  itemQueueWait: 'strata_item_queue_wait_seconds',
  /** Histogram, seconds: one execution of an item's code. */
  itemDuration: 'strata_item_duration_seconds',
  /** Histogram: which attempt of its item an execution was, 1 for the first. */
  itemAttempt: 'strata_item_attempt',
  /** Counter: executions of items after their first attempt. */
  itemRetries: 'strata_item_retries_total',
  /** Counter: runs opened to execute the failed items of an ended one. */
  redrives: 'strata_redrives_total',
} as const;

/** Metrics of limiters, labelled with `key` only where `limiterLabel` says so. */
export const LIMITER_METRICS = {
  /** Counter: permits granted. */
  grants: 'strata_limiter_grants_total',
  /** Gauge: permits held. */
  held: 'strata_limiter_permits_held',
  /** Gauge: permits asked for and not granted yet. */
  waiting: 'strata_limiter_permits_waiting',
} as const;

const LAYER_KEY = /^[a-z][a-z0-9-]*\.(process|paginate|execute)$/;

/** The label of a flow key: itself where a contract names it, `other` for keys made at run time (one per user, say), whose number is unbounded. */
export const limiterLabel = (key: string): string => (LAYER_KEY.test(key) ? key : 'other');
