import { compact } from './compact.ts';
import type { ReceiptTarget, SelfIterationMarker, SelfIterationMutation } from './self-iteration.schema.ts';

/** What a user sees of one confirmed write, or of a review as a whole. */
export interface Receipt {
  readonly id: string;
  readonly userId: string;
  readonly agentId: string;
  readonly topicId: string;
  readonly sourceId: string;
  readonly sourceType: string;
  readonly operationId?: string;
  readonly kind: 'memory' | 'skill' | 'review';
  readonly status: 'applied' | 'completed' | 'failed' | 'proposed' | 'skipped' | 'updated';
  readonly title: string;
  readonly detail: string;
  readonly anchorMessageId?: string;
  readonly triggerMessageId?: string;
  readonly target?: ReceiptTarget;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A completed run of ours, its mutations already parsed. */
export interface CompletedRun {
  readonly marker: SelfIterationMarker;
  readonly userId: string;
  readonly agentId: string;
  readonly operationId: string;
  readonly sourceType: string;
  readonly mutations: readonly SelfIterationMutation[];
  /** Artifacts that are ideas: what a review thought of without doing it. */
  readonly ideas: readonly string[];
}

const KINDS: Readonly<Record<string, Receipt['kind']>> = { writeMemory: 'memory', createSkillIfAbsent: 'skill', replaceSkillContentCAS: 'skill' };
const PROPOSALS: readonly string[] = ['createSelfReviewProposal', 'refreshSelfReviewProposal'];
const TITLES: Readonly<Record<Receipt['kind'], string>> = { memory: 'Memory updated', skill: 'Skill updated', review: 'Review' };

const statusOf = ({ apiName, data }: SelfIterationMutation): Receipt['status'] => {
  if (data.status.startsWith('skipped_') || data.status === 'deduped') return 'skipped';
  if (data.status === 'failed') return 'failed';
  return PROPOSALS.includes(apiName) ? 'proposed' : 'applied';
};

type Base = Pick<Receipt, 'userId' | 'agentId' | 'topicId' | 'sourceId' | 'sourceType' | 'operationId' | 'anchorMessageId' | 'triggerMessageId'>;

const baseOf = ({ marker, userId, agentId, operationId, sourceType }: CompletedRun): Base =>
  compact({
    userId,
    agentId: marker.agentId ?? agentId,
    topicId: marker.topicId ?? marker.sourceId,
    sourceId: marker.sourceId,
    sourceType,
    operationId,
    anchorMessageId: marker.anchorMessageId,
    triggerMessageId: marker.triggerMessageId,
  }) as Base;

const canRollBack = ({ apiName, data }: SelfIterationMutation): boolean =>
  apiName === 'replaceSkillContentCAS' &&
  data.status === 'applied' &&
  data.documentId !== undefined &&
  data.historyId !== undefined &&
  data.expectedCurrentDocumentUpdatedAt !== undefined;

const receiptOf = (run: CompletedRun, mutation: SelfIterationMutation, index: number): Receipt => {
  const { apiName, toolCallId, data } = mutation;
  const kind = KINDS[apiName] ?? 'review';
  const { documentId, historyId, expectedCurrentDocumentUpdatedAt } = data;
  const target = kind === 'review' ? undefined : data.target;
  return compact({
    ...baseOf(run),
    id: `${run.marker.sourceId}:${toolCallId ?? `${apiName}:${index}`}:${kind}`,
    kind,
    status: statusOf(mutation),
    title: data.target?.title ?? data.summary ?? TITLES[kind],
    detail: data.summary ?? '',
    target,
    metadata: compact({
      sourceType: run.sourceType,
      documentId,
      historyId,
      expectedCurrentDocumentUpdatedAt,
      rollbackStatus: canRollBack(mutation) ? 'available' : undefined,
    }),
  }) as Receipt;
};

const summaryOf = (run: CompletedRun): Receipt => ({
  ...baseOf(run),
  id: `${run.marker.sourceId}:self-iteration-summary`,
  kind: 'review',
  status: 'completed',
  title: TITLES.review,
  detail: `${run.mutations.length} actions`,
  metadata: compact({
    sourceType: run.sourceType,
    actionCount: run.mutations.length,
    localDate: run.marker.localDate,
    selfIteration: { mode: run.marker.kind, sourceId: run.marker.sourceId, ideas: run.ideas },
  }),
});

/** Receipts of a completed run: one per confirmed mutation; a review has a summary before them. Ids are deterministic: a repeated completion makes no others. */
export const buildSelfIterationReceipts = (run: CompletedRun): readonly Receipt[] => {
  const isDirect = run.marker.kind === 'memory' || run.marker.kind === 'skill';
  const confirmed =
    run.marker.kind === 'memory'
      ? run.mutations.filter(({ apiName, data }) => apiName === 'writeMemory' && data.status === 'applied')
      : run.mutations;
  return [...(isDirect ? [] : [summaryOf(run)]), ...confirmed.map((mutation, index) => receiptOf(run, mutation, index))];
};
