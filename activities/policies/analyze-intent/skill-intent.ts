import { skillIntentSchema } from '../../../packages/contracts/signal-model.schema.ts';
import type { SignalModel } from '../../../packages/contracts/signal-model.ts';
import { askModel, briefError } from './ask-model.ts';
import type { SatisfactionPayload, SkillIntentPayload } from './signals.ts';

const FALLBACK = {
  skillRoute: 'accumulate',
  skillActionIntent: 'maintain',
  skillIntentExplicitness: 'weak_positive',
  skillIntentConfidence: 0.35,
  skillIntentReason: 'insufficient-evidence',
} as const;

/** Asks what feedback wants of a skill; whatever fails falls back to counting it as a weak sign. */
export const judgeSkillIntent = async (
  model: SignalModel,
  { message, serializedContext, result }: SatisfactionPayload,
  signal: { readonly aborted: boolean },
): Promise<SkillIntentPayload> => {
  try {
    const input = { message, context: serializedContext ?? '', satisfaction: result };
    const asked = await askModel(model, skillIntentSchema, { task: 'skill-intent', input, signal });
    if (!asked.ok) return { ...FALLBACK, skillIntentError: asked.error };
    const { route, actionIntent, explicitness, confidence, reason } = asked.answer;
    return {
      skillRoute: route,
      skillActionIntent: actionIntent ?? 'maintain',
      skillIntentExplicitness: explicitness,
      skillIntentConfidence: confidence,
      skillIntentReason: reason,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...FALLBACK, skillIntentError: briefError(error) };
  }
};
