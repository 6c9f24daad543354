import { defineAgentSignalHandlers } from '../../../packages/agent-signal/define.ts';
import type { PolicyBundle } from '../../../packages/agent-signal/define.ts';
import type { PolicyDeps } from '../deps.ts';
import { createMemoryExecutor } from './memory.ts';
import { createSkillExecutor } from './skill.ts';

/** The executors of the base: each starts a run of ours, none writes inside the chain. */
export const createActionsPolicy = (deps: PolicyDeps): PolicyBundle =>
  defineAgentSignalHandlers('actions', [createMemoryExecutor(deps), createSkillExecutor(deps)]);
