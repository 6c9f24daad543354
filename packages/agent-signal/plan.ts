import type { FeedbackTarget } from './conflicts.ts';

/** What the planner looks at in a domain signal. */
export interface PlanInput {
  readonly target: FeedbackTarget;
  readonly satisfaction: 'satisfied' | 'not_satisfied' | 'neutral';
  readonly trigger: string;
  readonly route?: string | undefined;
  readonly hasIntentError: boolean;
  /** An active `handled` marker names the message in this domain. */
  readonly isHandled: boolean;
}

/** What is to be done about a domain signal. */
export type Plan = 'suppress' | 'memory' | 'nothing' | 'store-intent' | 'park' | 'skill' | 'accumulate';

const START = 'client.runtime.start';
const COMPLETE = 'client.runtime.complete';
const OWN = 'agent_signal';

const isDirect = ({ route, satisfaction, hasIntentError }: PlanInput): boolean =>
  route === 'direct_decision' || (satisfaction === 'not_satisfied' && route === 'accumulate' && !hasIntentError);

/** The first rule that applies; a skill is decided at once, kept until the turn is complete, or counted until there is enough of it. */
export const planDomain = (input: PlanInput): Plan => {
  const { target, trigger, satisfaction, route, isHandled } = input;
  if (isHandled) return 'suppress';
  if (target === 'memory') return 'memory';
  if (target !== 'skill' || route === 'non_skill') return 'nothing';
  if (isDirect(input)) {
    if (trigger === START) return 'store-intent';
    return trigger !== '' && trigger !== COMPLETE && trigger !== OWN ? 'park' : 'skill';
  }
  return satisfaction === 'satisfied' ? 'accumulate' : 'nothing';
};
