/** Rows that are a rate of items, measured in rounds beside each other. */
export const RATE_ROWS = ['floorPg', 'slice', 'sliceCap', 'sliceTx', 'floorTemporal', 'item', 'floorTemporalCap', 'itemCap'] as const;

/** Rows that are a trial of their own, in the order in which they run. */
export const TRIAL_ROWS = ['smallJob', 'cap', 'rate', 'fair', 'limiter', 'holder', 'recovery', 'signals', 'idle', 'memory'] as const;

export type RateRowName = (typeof RATE_ROWS)[number];
export type TrialRowName = (typeof TRIAL_ROWS)[number];
export type RowName = RateRowName | TrialRowName;
