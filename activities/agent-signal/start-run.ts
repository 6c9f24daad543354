import type { ActionNode } from '../../packages/agent-signal/nodes.ts';
import type { AgentRunRequest } from '../../packages/agent-signal/results.schema.ts';
import { computeDigest } from '../../packages/contracts/digest.ts';
import type { LoadedStep } from '../../packages/contracts/signal-store.ts';
import type { Database } from '../../packages/database/database.ts';
import { countRecentOperations, readOperation, reserveOperation } from '../../packages/database/agent-operations.ts';
import { openThread } from '../../packages/database/conversations.ts';

const HASH_HEX = 32;

/** An agent run that an action asks for. */
export interface RunOrder {
  readonly step: LoadedStep;
  readonly action: ActionNode;
  readonly key: string;
  /** One more each time a failed run opens its action again. */
  readonly epoch: number;
  readonly run: AgentRunRequest;
}

/** Where agent runs are ordered: `reserve` stores one and names it, before anything is started; null: the scope has had too many in the hour. */
export interface RunOrders {
  reserve(order: RunOrder): Promise<string | null>;
}

/** Id of an agent run: the same action asks for the same run, until it has failed. */
const operationIdOf = (ownerId: string, key: string, epoch: number): string =>
  `op-${computeDigest(`${ownerId}\n${key}\n${epoch}`).slice(0, HASH_HEX)}`;

/** What the action of an ordered run says when it was started, and when it could not be. */
export const readStartTexts = async (db: Database, operationId: string): Promise<{ readonly detail: string; readonly failureCode: string }> => {
  const { detail = '', failureCode = 'StartFailed' } = (await readOperation(db, operationId)) ?? {};
  return { detail, failureCode };
};

/** Orders in Postgres. */
export const createRunOrders = (db: Database, { runsPerHour }: { readonly runsPerHour: number }): RunOrders => ({
  reserve: async ({ step, key, epoch, run }) => {
    const { ownerId, scopeKey, context } = step;
    const operationId = operationIdOf(ownerId, key, epoch);
    if ((await countRecentOperations(db, { ownerId, scopeKey, operationId })) >= runsPerHour) return null;
    const { anchorMessageId } = run.marker;
    const thread = { threadId: `thread-${operationId}`, anchorMessageId: anchorMessageId ?? '', userId: context.userId };
    // A run without a thread is as good.
    const threadId = anchorMessageId === undefined ? null : await openThread(db, thread).catch(() => null);
    const { agentId, marker, prompt, maxSteps, detail, failureCode } = run;
    const operation = {
      operationId,
      ownerId,
      scopeKey,
      userId: context.userId,
      workspaceId: context.workspaceId ?? null,
      agentId,
      marker,
      prompt,
      context: run.context ?? null,
      maxSteps,
      detail,
      failureCode,
      candidate: run.candidate ?? null,
      review: run.review ?? null,
    };
    await reserveOperation(db, operation, { key, threadId });
    return operationId;
  },
});
