/** Failure types a run ends with; none is retried (behaviour: envelope, results, failures). */
export const RUN_FAILURES = {
  invalidInput: 'InvalidInput',
  unknownWorkflowType: 'UnknownWorkflowType',
  alreadyRunning: 'AlreadyRunning',
  preflightRefused: 'PreflightRefused',
  failureThresholdExceeded: 'FailureThresholdExceeded',
  payloadTooLarge: 'PayloadTooLarge',
  databaseUnavailable: 'DatabaseUnavailable',
  internalError: 'InternalError',
} as const;

/** Failure types of one item; `AttemptsExhausted` is an unclassified error that used up its attempts. */
export const ITEM_FAILURES = {
  itemNotFound: 'ItemNotFound',
  providerRefused: 'ProviderRefused',
  providerUnavailable: 'ProviderUnavailable',
  rateLimited: 'RateLimited',
  invalidOutput: 'InvalidOutput',
  itemTimeout: 'ItemTimeout',
  uniqueViolation: 'UniqueViolation',
  unserializableValue: 'UnserializableValue',
  payloadTooLarge: 'PayloadTooLarge',
  attemptsExhausted: 'AttemptsExhausted',
} as const;

/** Types that pass between activity and workflow without ending an item: nobody counts them as a failure of the item. */
export const TRANSIENT_FAILURES = {
  claimHeld: 'ClaimHeld',
  databaseUnavailable: RUN_FAILURES.databaseUnavailable,
} as const;

export type RunFailureType = (typeof RUN_FAILURES)[keyof typeof RUN_FAILURES];
export type ItemFailureType = (typeof ITEM_FAILURES)[keyof typeof ITEM_FAILURES];

/** One refused field: its dotted path (`''` for the whole), a machine code and the reason. */
export interface InputProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}
