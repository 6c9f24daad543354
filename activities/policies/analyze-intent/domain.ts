import { createSignal } from '../../../packages/agent-signal/builders.ts';
import { CONFLICT_POLICIES, mergeTargets, resolveConflicts } from '../../../packages/agent-signal/conflicts.ts';
import { defineSignalHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import type { SignalNode } from '../../../packages/agent-signal/nodes.ts';
import { SIGNAL_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { domainSchema } from '../../../packages/contracts/signal-model.schema.ts';
import type { DomainTarget } from '../../../packages/contracts/signal-model.schema.ts';
import { storeDiagnostic } from '../../../packages/database/signal-procedures.ts';
import type { PolicyDeps } from '../deps.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import { askModel } from './ask-model.ts';
import type { SatisfactionPayload, SkillIntentPayload } from './signals.ts';
import { judgeSkillIntent } from './skill-intent.ts';

const MALFORMED = 'malformed domain classifier output';
const MOST_TARGETS = 4;
const COMPLETE = 'client.runtime.complete';
const DOCUMENT_CUE = 'same_turn_hinted_document_receipt';

/** Another judge in place of the model's. */
export type DomainClassifier = (input: SatisfactionPayload) => Promise<readonly DomainTarget[]>;

const TYPES = {
  memory: SIGNAL_TYPES.domainMemory,
  prompt: SIGNAL_TYPES.domainPrompt,
  skill: SIGNAL_TYPES.domainSkill,
  none: SIGNAL_TYPES.domainNone,
} as const;

const conclude = (reason: string) => ({ status: 'conclude', concluded: { reason } }) as const;

/** A document that was created with a skill hint in the turn: the skill is decided, whatever the words say. */
const hintedTarget = ({ trigger, sourceHints, message }: SatisfactionPayload): DomainTarget | null => {
  const document = sourceHints?.['documentPayload'];
  const isHinted = typeof document === 'object' && document !== null && 'hintIsSkill' in document && document.hintIsSkill === true;
  if (trigger !== COMPLETE || !isHinted) return null;
  return { target: 'skill', confidence: 0.9, reason: DOCUMENT_CUE, evidence: [{ cue: DOCUMENT_CUE, excerpt: message.slice(0, 120) }] };
};

const HINTED_INTENT: SkillIntentPayload = {
  skillRoute: 'direct_decision',
  skillActionIntent: 'create',
  skillIntentExplicitness: 'explicit_action',
  skillIntentConfidence: 0.9,
  skillIntentReason: DOCUMENT_CUE,
};

/** The targets that stand, of what the model saw and what the turn's document says of the skill. */
const judgeTargets = (targets: readonly DomainTarget[], hinted: DomainTarget | null) =>
  resolveConflicts([...mergeTargets(targets).filter(({ target }) => hinted === null || target !== 'skill'), ...(hinted === null ? [] : [hinted])]);

interface Judged {
  readonly node: SignalNode<SatisfactionPayload>;
  readonly judged: DomainTarget;
  readonly isHinted: boolean;
}

/** The signal of one domain; for a skill with what is intended. */
const createDomainSignal = async (
  model: PolicyDeps['model'],
  { node, judged, isHinted }: Judged,
  signal: { readonly aborted: boolean },
): Promise<SignalNode> => {
  const { result, confidence: _confidence, reason: _reason, evidence: _evidence, ...shared } = node.payload;
  const judge = () => (model === null ? {} : judgeSkillIntent(model, node.payload, signal));
  const intent = judged.target !== 'skill' ? {} : isHinted ? HINTED_INTENT : await judge();
  return createSignal({
    parent: node,
    type: TYPES[judged.target],
    id: `${node.signalId}:domain:${judged.target}`,
    payload: compact({ ...shared, ...judged, ...intent, satisfactionResult: result, conflictPolicy: CONFLICT_POLICIES[judged.target] }),
  });
};

/** Says what feedback is about: one signal per domain that stands beside the others. */
export const createDomainHandler = ({
  db,
  model,
  classifyDomains,
}: PolicyDeps & { readonly classifyDomains?: DomainClassifier | undefined }): HandlerDefinition => {
  const judge = async (payload: SatisfactionPayload, signal: { readonly aborted: boolean }) => {
    if (classifyDomains !== undefined) return { ok: true, answer: { targets: await classifyDomains(payload) } } as const;
    if (model === null) return null;
    const { message, serializedContext, result } = payload;
    return askModel(model, domainSchema, { task: 'domain', input: { message, context: serializedContext ?? '', satisfaction: result }, signal });
  };
  return defineSignalHandler<SatisfactionPayload>({
    id: 'analyze-intent.domain',
    on: SIGNAL_TYPES.satisfaction,
    handle: async ({ node, source, scope, signal, note }) => {
      const { payload } = node;
      if (payload.result === 'neutral') return null;
      const asked = await judge(payload, signal);
      if (asked === null) {
        note('domain classifier unavailable');
        return null;
      }
      if (!asked.ok) {
        await storeDiagnostic(db, { ...scope, sourceId: source.sourceId, stage: 'domain', reason: MALFORMED, error: asked.error });
        return conclude(MALFORMED);
      }
      if (asked.answer.targets.length === 0) return conclude('no feedback domains classified');
      if (asked.answer.targets.length > MOST_TARGETS) return conclude('signal fanout budget exceeded');
      const hinted = hintedTarget(payload);
      const { accepted, dropped } = judgeTargets(asked.answer.targets, hinted);
      for (const { target, winner } of dropped) note(`${target}: conflict:${winner}`);
      const signals = await Promise.all(accepted.map((judged) => createDomainSignal(model, { node, judged, isHinted: hinted !== null }, signal)));
      return { status: 'dispatch', signals };
    },
  });
};
