import { isGrpcServiceError } from '@temporalio/client';

// The gRPC codes DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED and UNAVAILABLE.
const AWAY: readonly number[] = [4, 8, 14];

/** Whether Temporal cannot be reached or has no room: nothing was decided, ask again later. */
export const isTemporalAway = (error: unknown): boolean => {
  for (let at = error; at instanceof Error; at = at.cause) if (isGrpcServiceError(at) && AWAY.includes(at.code)) return true;
  return false;
};
