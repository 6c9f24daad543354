/** Limit of a key: items in flight and starts per second, null where it has no such bound. */
export interface FlowLimit {
  readonly parallelism: number | null;
  readonly ratePerSecond: number | null;
}

/** Who set a limit, strongest first: an operator, the deployment whose version is current, the run's own contract. */
export type LimitSource = 'operator' | 'deployment' | 'contract';

/** A key and the limit that applies where nobody has set another. */
export interface FlowKey {
  readonly key: string;
  readonly limit: FlowLimit;
}

/** Keys of a run's three layers; null: unlimited, no message is sent. */
export interface FlowKeys {
  readonly process: FlowKey | null;
  readonly paginate: FlowKey | null;
  readonly execute: FlowKey | null;
}

export type FlowLayer = keyof FlowKeys;

/** Nothing bounds it. */
export const NO_LIMIT: FlowLimit = { parallelism: null, ratePerSecond: null };
