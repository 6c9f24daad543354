import { defineAgentSignalHandlers } from '../../../packages/agent-signal/define.ts';
import type { PolicyBundle } from '../../../packages/agent-signal/define.ts';
import type { PolicyDeps } from '../deps.ts';
import { createDomainHandler } from './domain.ts';
import type { DomainClassifier } from './domain.ts';
import { createPlanHandler } from './plan.ts';
import { createSatisfactionHandler } from './satisfaction.ts';

/** What a user's message means, and what is to be done about it: satisfaction, domains, plan. */
export const createAnalyzeIntentPolicy = (deps: PolicyDeps & { readonly classifyDomains?: DomainClassifier }): PolicyBundle =>
  defineAgentSignalHandlers('analyze-intent', [createSatisfactionHandler(deps), createDomainHandler(deps), createPlanHandler(deps)]);
