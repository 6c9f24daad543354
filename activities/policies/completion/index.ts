import { defineAgentSignalHandlers } from '../../../packages/agent-signal/define.ts';
import type { PolicyBundle } from '../../../packages/agent-signal/define.ts';
import type { PolicyDeps } from '../deps.ts';
import { createReceiptsHandler } from './receipts.ts';
import { createSynthesisHandler } from './synthesis.ts';

/** What a completed run leads to: a parked skill resumes, receipts are shown. One failing does not stop the other. */
export const createCompletionPolicy = (deps: PolicyDeps): PolicyBundle =>
  defineAgentSignalHandlers('completion', [createSynthesisHandler(deps), createReceiptsHandler(deps)]);
