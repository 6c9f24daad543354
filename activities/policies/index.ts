import type { PolicyBundle } from '../../packages/agent-signal/define.ts';
import { createActionsPolicy } from './actions/index.ts';
import { createAnalyzeIntentPolicy } from './analyze-intent/index.ts';
import { createCompletionPolicy } from './completion/index.ts';
import type { PolicyDeps } from './deps.ts';
import { createHydrationPolicy } from './hydration/index.ts';
import { createProbePolicy } from './probe/index.ts';
import { createReviewsPolicy } from './reviews/index.ts';
import { createToolOutcomePolicy } from './tool-outcome/index.ts';

/** Every policy of the base, in the order in which their handlers are called; a new one is a folder and a line here. */
export const createPolicies = (deps: PolicyDeps): readonly PolicyBundle[] => [
  createHydrationPolicy(deps),
  createAnalyzeIntentPolicy(deps),
  createActionsPolicy(deps),
  createCompletionPolicy(deps),
  createToolOutcomePolicy(deps),
  createReviewsPolicy(deps),
  createProbePolicy(deps),
];
