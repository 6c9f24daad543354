import type { AgentStep, DomainTarget, Satisfaction, SkillIntent } from '../contracts/signal-model.schema.ts';
import type { ModelCall, SignalModel } from '../contracts/signal-model.ts';

const UNHAPPY =
  /\b(remember|don'?t|do not|stop|wrong|incorrect|instead|always|never|next time|from now on|i prefer|please use|too (?:long|short|verbose|formal)|not what i|should have|shorter|save this)\b/i;
const HAPPY = /\b(thanks?|thank you|great|perfect|exactly|love (?:it|this)|well done|nice|awesome|that works|good job)\b/i;
const MEMORY = /\b(remember|i prefer|my name|call me|i am|i'm|always|never|from now on|answers?|likes?|dislikes?|allergic|birthday|time ?zone)\b/i;
const SKILL = /\b(skills?|workflow|procedure|checklist|template|playbook|step[- ]by[- ]step|whenever you|the way you|how you did|save this)\b/i;
const PROMPT = /\b(system prompt|your instructions|your prompt|persona|your role|act as)\b/i;
const CREATE =
  /\b(create|make|save|turn) (?:this |that |it )?(?:into |as )?(?:a |an )?(?:new )?(?:skill|workflow|checklist|template|playbook)\b|\bsave this\b/i;
const REFINE = /\b(update|improve|refine|fix|change|adjust) (?:the |this |that |your )?(?:skill|workflow|checklist|template|playbook|procedure)\b/i;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const cue = (pattern: RegExp, text: string): readonly { cue: string; excerpt: string }[] => {
  const found = pattern.exec(text);
  return found === null ? [] : [{ cue: found[0].toLowerCase(), excerpt: text.slice(Math.max(0, found.index - 40), found.index + 80) }];
};

const judgeSatisfaction = (text: string): Satisfaction => {
  const isUnhappy = UNHAPPY.test(text);
  if (isUnhappy) return { result: 'not_satisfied', confidence: 0.8, reason: 'asks for a change', evidence: [...cue(UNHAPPY, text)] };
  if (HAPPY.test(text)) return { result: 'satisfied', confidence: 0.8, reason: 'says that it was good', evidence: [...cue(HAPPY, text)] };
  return { result: 'neutral', confidence: 0.6, reason: 'no word of praise or complaint', evidence: [] };
};

const DOMAINS = [
  ['skill', SKILL],
  ['memory', MEMORY],
  ['prompt', PROMPT],
] as const;

const judgeDomains = (text: string): readonly DomainTarget[] => {
  const found = DOMAINS.filter(([, pattern]) => pattern.test(text)).map(([target, pattern]): DomainTarget => ({
    target,
    confidence: 0.7,
    reason: `names ${target}`,
    evidence: [...cue(pattern, text)],
  }));
  return found.length > 0 ? found : [{ target: 'none', confidence: 0.5, reason: 'names no domain', evidence: [] }];
};

const judgeSkillIntent = (text: string, satisfaction: string): SkillIntent => {
  if (CREATE.test(text))
    return { actionIntent: 'create', confidence: 0.9, explicitness: 'explicit_action', reason: 'asks for a skill', route: 'direct_decision' };
  if (REFINE.test(text))
    return { actionIntent: 'refine', confidence: 0.85, explicitness: 'explicit_action', reason: 'asks to change a skill', route: 'direct_decision' };
  if (satisfaction === 'satisfied')
    return { actionIntent: 'maintain', confidence: 0.6, explicitness: 'weak_positive', reason: 'praises a way of working', route: 'accumulate' };
  return {
    actionIntent: 'maintain',
    confidence: 0.5,
    explicitness: 'implicit_strong_learning',
    reason: 'wants it done another way',
    route: 'accumulate',
  };
};

const title = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 60) || 'note';

const firstCall = (kind: string, message: string): AgentStep['calls'] => {
  if (kind === 'memory') return [{ apiName: 'writeMemory', arguments: { title: title(message), content: message } }];
  if (kind === 'skill') return [{ apiName: 'createSkillIfAbsent', arguments: { name: title(message), content: message } }];
  return [];
};

/** One write for a memory or a skill, nothing for a review; done at the second step. */
const stepAgent = ({ kind, prompt, step }: Readonly<Record<string, unknown>>): AgentStep => {
  const calls = step === 1 ? firstCall(textOf(kind), textOf(prompt)) : [];
  return { summary: calls.length > 0 ? 'wrote what was asked for' : 'nothing more to do', done: calls.length === 0, calls };
};

const answer = ({ task, input }: ModelCall): unknown => {
  const message = textOf(input['message']);
  switch (task) {
    case 'satisfaction':
      return judgeSatisfaction(message);
    case 'domain':
      return { targets: judgeDomains(message) };
    case 'skill-intent':
      return judgeSkillIntent(message, textOf(input['satisfaction']));
    case 'agent-step':
      return stepAgent(input);
    default:
      return task satisfies never;
  }
};

/**
 * Rules over English words in place of a language model, so that everything runs without a key and without a network: good enough to see the chain at work,
 * not to judge real users. It also answers agent runs.
 */
export const createOfflineModel = (): SignalModel => ({ generate: (call) => Promise.resolve(answer(call)) });
