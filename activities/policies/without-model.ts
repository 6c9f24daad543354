import type { ExecutorOutcome } from '../../packages/agent-signal/results.ts';

/** How an action ends that needs a model where there is none: no later attempt would find one. */
export const withoutModel = (code: string): ExecutorOutcome => ({
  status: 'failed',
  error: { code, message: 'no model is configured', retriable: false },
});
