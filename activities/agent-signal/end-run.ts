import type { SourceEvent } from '../../packages/contracts/signal-events.ts';
import { readOperation } from '../../packages/database/agent-operations.ts';
import { endOperation } from '../../packages/database/agent-operation-ends.ts';
import type { Operation } from '../../packages/database/agent-operations.ts';
import { readToolCalls } from '../../packages/database/agent-steps.ts';
import type { ToolCallRow } from '../../packages/database/agent-steps.ts';
import { inTransaction } from '../../packages/database/database.ts';
import { acceptEvent } from '../../packages/database/signal-inbox.ts';
import type { AgentSignalScopeDeps } from '../agent-signal-scope.ts';
import { compact } from '../../packages/agent-signal/compact.ts';
import { ownLimits } from './own-limits.ts';
import { sendWake } from './send-wake.ts';
import { redact } from './step-errors.ts';

/** How an agent run ended. */
export interface RunEnd {
  readonly operationId: string;
  readonly state: 'done' | 'failed';
  readonly steps: number;
  readonly reason: string;
  readonly taskQueue: string;
}

const mutationOf = ({ callId, apiName, kind, result }: ToolCallRow) => ({ kind, apiName, toolCallId: callId, data: result });

const selfIterationOf = ({ marker, userId }: Operation, calls: readonly ToolCallRow[]) =>
  marker === null ? undefined : { marker, userId, mutations: calls.filter(({ kind }) => kind !== 'read').map(mutationOf), artifacts: [] };

interface Marker {
  readonly topicId?: string;
  readonly anchorMessageId?: string;
  readonly triggerMessageId?: string;
}

const payloadOf = (operation: Operation, { state, steps, reason }: RunEnd, calls: readonly ToolCallRow[]): SourceEvent['payload'] => {
  const { operationId, agentId } = operation;
  const { topicId, anchorMessageId, triggerMessageId } = (operation.marker ?? {}) as Marker;
  if (state === 'failed') return compact({ operationId, agentId, topicId, reason: 'error', errorMessage: reason });
  return compact({
    operationId,
    agentId,
    topicId,
    anchorMessageId,
    triggerMessageId,
    steps,
    reason,
    selfIteration: selfIterationOf(operation, calls),
  });
};

const eventOf = (operation: Operation, end: RunEnd, calls: readonly ToolCallRow[]): SourceEvent => {
  const { ownerId, scopeKey, userId, agentId, workspaceId, operationId } = operation;
  return {
    ownerId,
    scopeKey,
    sourceType: end.state === 'done' ? 'agent.execution.completed' : 'agent.execution.failed',
    sourceId: `${operationId}:complete:${end.state === 'done' ? end.reason : 'error'}`,
    payload: payloadOf(operation, end, calls),
    userId,
    agentId,
    ...(workspaceId === null ? {} : { workspaceId }),
  };
};

/** Ends an agent run and tells its scope in one transaction: its completion or failure is its only event. A run that has ended stays so. */
export const endAgentRun = async ({ db, signals }: Pick<AgentSignalScopeDeps, 'db' | 'signals'>, given: RunEnd): Promise<void> => {
  const end = { ...given, reason: redact(given.reason) };
  const operation = await readOperation(db, end.operationId);
  if (operation === undefined) return;
  const event = eventOf(operation, end, await readToolCalls(db, end.operationId));
  const answer = await inTransaction(db, async (tx) =>
    (await endOperation(tx, end)) ? acceptEvent(tx, event, { limits: ownLimits(signals.limits) }) : null,
  );
  if (answer?.kind === 'accepted' && answer.sendsWake) await sendWake({ db, wake: signals.wake, taskQueue: end.taskQueue }, event, answer.scopeId);
};
