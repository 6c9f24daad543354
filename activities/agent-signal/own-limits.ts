import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';

/** Bounds for facts of our own, the end of a run or what a fact was hydrated to: nothing keeps them out of their scope. */
export const ownLimits = (limits: SignalLimits): SignalLimits => ({ ...limits, acceptedPerSecond: 1_000_000, pending: 1_000_000_000 });
