/** Workflow type of the limiter of one key; one runs per key, global over processes, runs and pipelines. */
export const LIMITER_TYPE = 'flowControl';

/** The workflow chain that holds permits; it survives continue-as-new. */
export interface FlowOwner {
  readonly workflowId: string;
  readonly firstRunId: string;
}

/** Longest time for which a provider's answer holds a key. */
export const MAX_HOLD_MS = 900_000;

/** After a hold one item tries alone for so long. */
export const PROBE_MS = 2_000;

/** A start time unused for so long is void: used later, it would crowd with others. */
export const START_VOID_MS = 1_000;

/** A start that is not later than this keeps its place in the order of start times; of later ones only the last is used. */
export const START_LATE_MS = 100;
