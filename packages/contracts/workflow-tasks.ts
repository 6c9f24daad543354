/**
 * Task time-out of every workflow that Strata starts. A task that had begun on a worker that died is repeated no sooner, so it is about as long as a
 * worker's lease.
 */
export const TASK_TIMEOUT = '2 seconds';
