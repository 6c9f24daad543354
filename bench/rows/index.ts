import type { BenchContext } from '../context.ts';
import type { TrialOutcome } from '../row.ts';
import type { TrialRowName } from '../row-names.ts';
import { measureCap } from './cap.ts';
import { measureFair } from './fair.ts';
import { measureHolder } from './holder.ts';
import { measureIdle } from './idle.ts';
import { measureLimiter } from './limiter.ts';
import { measureMemory } from './memory.ts';
import { measureRate } from './rate.ts';
import { measureRecovery } from './recovery.ts';
import { measureSignals } from './signals.ts';
import { measureSmallJob } from './small-job.ts';

/** How each trial row is measured. */
export const trialRows: { readonly [N in TrialRowName]: (context: BenchContext) => Promise<TrialOutcome<N>> } = {
  cap: measureCap,
  fair: measureFair,
  holder: measureHolder,
  idle: measureIdle,
  limiter: measureLimiter,
  memory: measureMemory,
  rate: measureRate,
  recovery: measureRecovery,
  signals: measureSignals,
  smallJob: measureSmallJob,
};
