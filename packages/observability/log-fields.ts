/** Fields by which log entries of pipelines are found; each is there where it applies. */
export interface LogFields {
  readonly pipeline: string;
  readonly layer: 'process' | 'paginate' | 'execute';
  /** First run id of the chain: the one that a start answers. */
  readonly runId?: string;
  readonly itemId?: string;
}

const fieldsByContext = new WeakMap<object, LogFields>();

/** From now on, entries written in an activity's context carry the fields. */
export const setLogFields = (context: object, fields: LogFields): void => void fieldsByContext.set(context, fields);

/** Fields of an activity's context; none before they are set. */
export const readLogFields = (context: object): Partial<LogFields> => fieldsByContext.get(context) ?? {};

/** Constant beginning of a pipeline's log messages: `[<entity>:<layer>]`, of an error `[<entity>:<layer>:error]`. */
export const logPrefix = (entity: string, layer: LogFields['layer'], kind?: 'error'): string =>
  `[${entity}:${layer}${kind === undefined ? '' : `:${kind}`}]`;
