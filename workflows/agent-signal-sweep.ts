import { runSweep } from '../packages/durable/signal-sweep.ts';

/** Wakes scopes whose wake-up was lost. */
export const agentSignalSweep = runSweep;
