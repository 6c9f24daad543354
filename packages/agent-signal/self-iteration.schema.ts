import { z } from 'zod';
import { id, localDate, text } from './fields.schema.ts';

const SUMMARY_CHARACTERS = 240;

/** Why a run of ours exists; see {@link SelfIterationMarker}. */
export const markerSchema = z.strictObject({
  kind: z.enum(['memory', 'skill', 'nightly-review', 'self-reflection', 'self-feedback-intent']),
  sourceId: z.string().min(1).max(600),
  agentId: id.optional(),
  topicId: id.optional(),
  anchorMessageId: id.optional(),
  triggerMessageId: id.optional(),
  localDate: localDate.optional(),
  reviewWindowStart: text.optional(),
  reviewWindowEnd: text.optional(),
});

/** What a mutation was made on. */
export const receiptTargetSchema = z.strictObject({
  type: z.enum(['memory', 'skill']),
  title: text,
  id: id.optional(),
  memoryId: id.optional(),
  memoryLayer: text.optional(),
  documentId: id.optional(),
  agentDocumentId: id.optional(),
  summary: text.optional(),
});

const mutationData = z.strictObject({
  status: z.enum(['applied', 'proposed', 'deduped', 'skipped_stale', 'skipped_unsupported', 'failed']),
  summary: z.string().max(SUMMARY_CHARACTERS).optional(),
  target: receiptTargetSchema.optional(),
  resourceId: id.optional(),
  documentId: id.optional(),
  historyId: id.optional(),
  expectedCurrentDocumentUpdatedAt: text.optional(),
});

/** A confirmed result of one tool call of a run. */
export const mutationSchema = z.strictObject({ kind: id, apiName: id, toolCallId: id.optional(), data: mutationData });

/** What a run of ours did, carried by its completion; lists of anything else are counted and ignored. */
export const selfIterationSchema = z.strictObject({
  marker: markerSchema,
  userId: id,
  mutations: z.array(z.json()),
  artifacts: z.array(z.json()),
});

export type SelfIterationMarker = Readonly<z.output<typeof markerSchema>>;
export type SelfIterationMutation = Readonly<z.output<typeof mutationSchema>>;
export type ReceiptTarget = Readonly<z.output<typeof receiptTargetSchema>>;
