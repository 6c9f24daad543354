/** Default task queue of every Strata worker. */
export const STRATA_QUEUE = 'strata';

/** Name of the Worker Deployment whose versions are workflow bundles. */
export const STRATA_DEPLOYMENT = 'strata';
