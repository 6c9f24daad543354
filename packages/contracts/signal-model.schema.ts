import { z } from 'zod';

const confidence = z.number().min(0).max(1);
const evidence = z.array(z.object({ cue: z.string(), excerpt: z.string() }));
const reason = z.string();

/** Answer to `satisfaction`. */
export const satisfactionSchema = z.object({ result: z.enum(['satisfied', 'not_satisfied', 'neutral']), confidence, reason, evidence });

/** Answer to `domain`: one to four targets. */
export const domainSchema = z.object({
  targets: z
    .array(z.object({ target: z.enum(['memory', 'prompt', 'skill', 'none']), confidence, reason, evidence }))
    .min(1)
    .max(4),
});

const isConsistentIntent = (explicitness: string, route: string): boolean => {
  if (explicitness === 'weak_positive') return route === 'accumulate';
  return explicitness !== 'non_skill_preference' || route === 'non_skill';
};

/** Answer to `skill-intent`. */
export const skillIntentSchema = z
  .object({
    actionIntent: z.enum(['create', 'refine', 'consolidate', 'maintain', 'noop']).optional(),
    confidence,
    explicitness: z.enum(['explicit_action', 'implicit_strong_learning', 'weak_positive', 'non_skill_preference']),
    reason,
    route: z.enum(['direct_decision', 'accumulate', 'non_skill']),
  })
  .refine(({ explicitness, route }) => isConsistentIntent(explicitness, route), { error: 'explicitness and route contradict each other' });

/** Answer to `agent-step`: tools to be used, or that the run is done. */
export const agentStepSchema = z.object({
  summary: z.string(),
  done: z.boolean(),
  calls: z.array(z.object({ apiName: z.string().min(1), arguments: z.record(z.string(), z.json()) })).max(8),
});

export type Satisfaction = z.output<typeof satisfactionSchema>;
export type DomainTarget = z.output<typeof domainSchema>['targets'][number];
export type SkillIntent = z.output<typeof skillIntentSchema>;
export type AgentStep = z.output<typeof agentStepSchema>;
