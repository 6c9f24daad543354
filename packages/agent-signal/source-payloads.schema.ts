import { z } from 'zod';
import { id, int, iso, localDate, share, text } from './fields.schema.ts';
import { selfIterationSchema } from './self-iteration.schema.ts';
import type { AgentSignalSourceType } from './source-types.ts';

const context = { agentId: id.optional(), topicId: id.optional(), serializedContext: text.optional() };
const anchors = { anchorMessageId: id.optional(), triggerMessageId: id.optional() };
const object = z.record(z.string(), z.json());

const step = z.strictObject({ operationId: id, stepIndex: int, ...context, turnCount: int.optional() });
const gateway = { operationId: id, ...context, ...anchors, assistantMessageId: id.optional() };
const gatewayStep = z.strictObject({ ...gateway, stepIndex: int });

const toolOutcome = {
  tool: z.strictObject({ identifier: id, apiName: id.optional() }),
  agentId: id.optional(),
  messageId: id.optional(),
  operationId: id.optional(),
  taskId: id.optional(),
  toolCallId: id.optional(),
  topicId: id.optional(),
  domainKey: text.optional(),
  intentClass: text.optional(),
  relatedObjects: z.array(z.strictObject({ objectId: id, objectType: id, relation: text.optional() })).optional(),
};
const outcome = { action: text.optional(), summary: text.optional() };

const userMessage = z.strictObject({
  message: text,
  messageId: id,
  ...context,
  ...anchors,
  threadId: id.optional(),
  trigger: text.optional(),
  intents: z.array(z.enum(['document', 'memory', 'persona', 'prompt', 'skill'])).optional(),
  documentPayload: object.optional(),
  memoryPayload: object.optional(),
});

const declaredIntent = z.strictObject({
  agentId: id,
  userId: id,
  action: z.enum(['write', 'create', 'refine', 'consolidate', 'proposal']),
  kind: z.enum(['memory', 'skill', 'gap']),
  confidence: share,
  reason: text,
  summary: text,
  evidenceRefs: z.array(z.strictObject({ id, type: id, summary: text.optional() })).optional(),
  memoryId: id.optional(),
  operationId: id.optional(),
  skillId: id.optional(),
  toolCallId: id.optional(),
  topicId: id.optional(),
});

const selfReflection = z.strictObject({
  agentId: id,
  userId: id,
  scopeId: id,
  scopeType: z.enum(['topic', 'task', 'operation']),
  reason: text,
  windowStart: iso,
  windowEnd: iso,
  operationId: id.optional(),
  taskId: id.optional(),
  topicId: id.optional(),
});

/** Strict schema of each source type's payload. */
export const sourcePayloadSchemas = {
  'agent.user.message': userMessage,
  'agent.execution.completed': z.strictObject({
    operationId: id,
    steps: int,
    ...context,
    ...anchors,
    assistantMessageId: id.optional(),
    reason: text.optional(),
    turnCount: int.optional(),
    selfIteration: selfIterationSchema.optional(),
  }),
  'agent.execution.failed': z.strictObject({
    operationId: id,
    ...context,
    reason: text.optional(),
    errorMessage: text.optional(),
    turnCount: int.optional(),
  }),
  'runtime.before_step': step,
  'runtime.after_step': step,
  'bot.message.merged': z.strictObject({
    message: text,
    ...context,
    applicationId: id.optional(),
    platform: id.optional(),
    platformThreadId: id.optional(),
  }),
  'client.gateway.stream_start': gatewayStep,
  'client.gateway.step_complete': gatewayStep,
  'client.gateway.runtime_end': z.strictObject(gateway),
  'client.gateway.error': z.strictObject({ ...gateway, errorMessage: text.optional() }),
  'client.runtime.start': z.strictObject({
    operationId: id,
    ...context,
    ...anchors,
    parentMessageId: id.optional(),
    threadId: id.optional(),
    parentMessageType: text.optional(),
  }),
  'client.runtime.complete': z.strictObject({
    operationId: id,
    ...context,
    ...anchors,
    assistantMessageId: id.optional(),
    threadId: id.optional(),
    status: z.enum(['completed', 'cancelled', 'failed']).optional(),
  }),
  'tool.outcome.completed': z.strictObject({ ...toolOutcome, outcome: z.strictObject({ status: z.enum(['succeeded', 'skipped']), ...outcome }) }),
  'tool.outcome.failed': z.strictObject({
    ...toolOutcome,
    outcome: z.strictObject({ status: z.literal('failed'), errorReason: text.optional(), ...outcome }),
  }),
  'agent.nightly_review.requested': z.strictObject({
    agentId: id,
    userId: id,
    localDate,
    timezone: id,
    requestedAt: iso,
    reviewWindowStart: iso,
    reviewWindowEnd: iso,
  }),
  'agent.self_reflection.requested': selfReflection,
  'agent.self_feedback_intent.declared': declaredIntent,
} satisfies Readonly<Record<AgentSignalSourceType, z.ZodType>>;

type Schemas = typeof sourcePayloadSchemas;

/** Payload of each source type, as its schema hands it out. */
export type SourcePayloads = { readonly [T in keyof Schemas]: Readonly<z.output<Schemas[T]>> };
