import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SCOPE_MESSAGES, SCOPE_TYPE } from '../contracts/agent-signal-scope.ts';
import { scopeAttribute, scopeWorkflowId } from '../contracts/scope-identity.ts';
import type { ScopeIdentity } from '../contracts/scope-identity.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

const WITHIN_MS = 2_000;

const ATTRIBUTES = {
  tenant: defineSearchAttributeKey('StrataTenant', SearchAttributeType.KEYWORD),
  scope: defineSearchAttributeKey('StrataScope', SearchAttributeType.KEYWORD),
};

/** How a scope's workflow is started, by whomever. */
export const scopeStart = ({ ownerId, scopeKey }: ScopeIdentity, taskQueue: string) => ({
  workflowId: scopeWorkflowId({ ownerId, scopeKey }),
  taskQueue,
  args: [{ ownerId, scopeKey }] as [ScopeIdentity],
  workflowTaskTimeout: TASK_TIMEOUT,
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  typedSearchAttributes: [
    { key: ATTRIBUTES.tenant, value: scopeAttribute(ownerId) },
    { key: ATTRIBUTES.scope, value: scopeAttribute(scopeKey) },
  ],
  staticSummary: `${scopeKey} of ${ownerId}`.slice(0, 200),
});

/** Wakes a scope, starting it where none runs, within two seconds; answers the run that was signalled. */
export const wakeScope = async (client: Client, scope: ScopeIdentity, taskQueue: string): Promise<string> => {
  const handle = await client.withDeadline(Date.now() + WITHIN_MS, () =>
    client.workflow.signalWithStart(SCOPE_TYPE, { ...scopeStart(scope, taskQueue), signal: SCOPE_MESSAGES.wake }),
  );
  return handle.signaledRunId;
};
