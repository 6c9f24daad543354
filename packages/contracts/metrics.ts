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

/** Counters of limiters, each with the one label `key`; a key that no contract declares is `other`, since there may be any number of them. */
export const LIMITER_METRICS = {
  /** Permits granted. */
  grants: 'strata_limiter_grants_total',
  /** Paced start times granted. */
  starts: 'strata_limiter_starts_total',
} as const;

/** Metrics of agent signal. A scope is an attribute of spans and no label: there may be any number of them. */
export const SIGNAL_METRICS = {
  /** Counter: handler calls by `handler` and `answer`: none, dispatch, wait, schedule, conclude, failed, executed, start, retried. */
  handlers: 'strata_signal_handler_calls_total',
  /** Counter: nodes that handlers made, by `kind` and `type`. */
  nodes: 'strata_signal_nodes_total',
  /** Counter: actions by `handler` and `result`. */
  actions: 'strata_signal_actions_total',
  /** Counter: events that a call ended, by `source_type` and `state`. */
  events: 'strata_signal_events_total',
  /** Histogram, seconds: one handler call, by `handler`. */
  handlerDuration: 'strata_signal_handler_duration_seconds',
  /** Gauge, seconds: age of the oldest pending event, as the sweeper finds it. */
  oldestPending: 'strata_signal_oldest_pending_seconds',
} as const;
