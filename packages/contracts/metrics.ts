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
