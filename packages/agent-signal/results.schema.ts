import { z } from 'zod';
import { markerSchema } from './self-iteration.schema.ts';

const NODE_ID_CHARACTERS = 1_000;
const nodeId = z.string().min(1).max(NODE_ID_CHARACTERS);
const link = z.strictObject({ id: nodeId, type: z.string().min(1) });
const payload = z.record(z.string(), z.json());
const chain = z.strictObject({
  chainId: z.string(),
  rootSourceId: z.string(),
  depth: z.int().min(0),
  parentNodeId: z.string().optional(),
  parentSignalId: z.string().optional(),
  parentActionId: z.string().optional(),
});

const signalNode = z.strictObject({
  kind: z.literal('signal'),
  signalId: nodeId,
  type: z.string().startsWith('signal.'),
  payload,
  source: link,
  chain,
});

const actionNode = z.strictObject({
  kind: z.literal('action'),
  actionId: nodeId,
  type: z.string().startsWith('action.'),
  payload,
  signal: link,
  source: link,
  chain,
});

const reason = z.string().max(1_000);
const derived = z.strictObject({ sourceType: z.string(), sourceId: z.string(), scopeKey: z.string(), payload });

/** Why an executor failed. */
export const executorErrorSchema = z.strictObject({
  code: z.string().min(1).max(100),
  message: z.string(),
  retriable: z.boolean(),
  retryAfterMs: z.int().min(0).optional(),
});

/** An agent run that an action asks its host for. */
export const agentRunSchema = z.strictObject({
  agentId: z.string().min(1),
  marker: markerSchema,
  prompt: z.string(),
  context: z.string().optional(),
  maxSteps: z.int().min(1).max(50),
  /** What the action says once the run has been started. */
  detail: z.string(),
  /** Code of the action's failure where it cannot be. */
  failureCode: z.string(),
  /** Parked candidate that the run consumes: the id of its user message. */
  candidate: z.string().optional(),
  /** Review that the run settles. */
  review: z.string().optional(),
});

/** What the handler of a source or a signal may answer; null and undefined: no opinion. */
export const processorResultSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('dispatch'), signals: z.array(signalNode).optional(), actions: z.array(actionNode).optional() }),
  z.strictObject({
    status: z.literal('wait'),
    pending: z.strictObject({ lane: z.string().min(1).max(300), reason: reason.optional(), delay: z.int().min(0).optional() }),
  }),
  z.strictObject({
    status: z.literal('schedule'),
    nextHop: z.strictObject({
      node: z.discriminatedUnion('kind', [signalNode, actionNode]),
      key: z.string().min(1).max(300),
      delayMs: z.int().optional(),
      at: z.iso.datetime().optional(),
      reason: reason.optional(),
    }),
  }),
  z.strictObject({
    status: z.literal('conclude'),
    concluded: z.strictObject({ reason, status: z.string().max(100).optional(), derived: derived.optional() }),
  }),
]);

/** What the handler of an action may answer: `failed` has an error, the others have none. */
export const executorOutcomeSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('applied'), detail: z.string().optional(), output: z.json().optional() }),
  z.strictObject({ status: z.literal('skipped'), detail: z.string().optional(), output: z.json().optional() }),
  z.strictObject({ status: z.literal('failed'), error: executorErrorSchema, detail: z.string().optional() }),
  z.strictObject({ status: z.literal('start'), run: agentRunSchema }),
]);

export type ExecutorError = z.output<typeof executorErrorSchema>;
export type AgentRunRequest = z.output<typeof agentRunSchema>;
