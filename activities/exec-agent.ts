import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { EXEC_AGENT_FLOW, EXEC_AGENT_TYPE } from '../packages/contracts/exec-agent.ts';
import type { ExecAgentActivities, ToolCall } from '../packages/contracts/exec-agent.ts';
import { NO_LIMIT } from '../packages/contracts/flow-limits.ts';
import { toStorable } from '../packages/contracts/json-value.ts';
import { agentStepSchema } from '../packages/contracts/signal-model.schema.ts';
import type { AgentStep } from '../packages/contracts/signal-model.schema.ts';
import { beginOperation, readOperation } from '../packages/database/agent-operations.ts';
import type { Operation } from '../packages/database/agent-operations.ts';
import { callTool, keepDecision, readDecision, readToolCalls } from '../packages/database/agent-steps.ts';
import { loadFlowSettings } from '../packages/database/flow-settings.ts';
import { computePause } from './agent-signal/step-errors.ts';
import { classifyStepError } from './agent-signal/step-errors.ts';
import { endAgentRun } from './agent-signal/end-run.ts';
import type { AgentSignalScopeDeps } from './agent-signal-scope.ts';
import { AGENT_TOOLS } from './agent-tools/index.ts';
import type { RunnerDeps } from './runner/definition.ts';

export type ExecAgentDeps = AgentSignalScopeDeps & Pick<RunnerDeps, 'flow'>;

const requireOperation = async (deps: ExecAgentDeps, operationId: string): Promise<Operation> => {
  const operation = await readOperation(deps.db, operationId);
  if (operation === undefined) throw ApplicationFailure.nonRetryable(`there is no agent run ${operationId}`, 'InvalidInput');
  return operation;
};

const callsOf = (step: number, { calls }: AgentStep): readonly (ToolCall & { readonly arguments: AgentStep['calls'][number]['arguments'] })[] =>
  calls.map((call, index) => ({ ...call, callId: `c${step}-${index + 1}` }));

/** Asks the model; an answer of another shape is final, whatever else fails is retried as its class says. */
const decide = async ({ db, signals }: ExecAgentDeps, operation: Operation, step: number): Promise<AgentStep> => {
  if (signals.model === null) throw ApplicationFailure.nonRetryable('no model is configured', 'ProviderRefused');
  const marker = operation.marker as { readonly kind?: string } | null;
  const results = (await readToolCalls(db, operation.operationId)).map(({ apiName, result }) => ({ apiName, result }));
  const tools = AGENT_TOOLS.map(({ apiName, description }) => ({ apiName, description }));
  const input = { kind: marker?.kind ?? 'task', prompt: operation.prompt, context: operation.context ?? '', step, tools, results };
  const raw = await signals.model.generate({ task: 'agent-step', input, signal: Context.current().cancellationSignal });
  const parsed = agentStepSchema.safeParse(toStorable(raw));
  if (!parsed.success) throw ApplicationFailure.nonRetryable('malformed agent step', 'InvalidOutput');
  return parsed.data;
};

/** Translates what a step throws: final, or retried after its own pause. */
const translated = async <T>({ signals }: ExecAgentDeps, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApplicationFailure) throw error;
    const { code, message, isRetryable, retryAfterMs } = classifyStepError(error);
    const nextRetryDelay = computePause(Context.current().info.attempt, retryAfterMs, signals.limits);
    throw ApplicationFailure.create({
      type: code,
      message,
      nonRetryable: !isRetryable,
      ...(isRetryable ? { nextRetryDelay } : {}),
      category: ApplicationFailureCategory.BENIGN,
    });
  }
};

const loadFlow = async ({ db, flow }: ExecAgentDeps) => {
  const key = `${flow.prefix}${EXEC_AGENT_FLOW.key}`;
  const setting = (await loadFlowSettings(db, [key])).get(key);
  return setting?.limit === NO_LIMIT && !setting.isPaused ? null : { key, limit: EXEC_AGENT_FLOW.limit };
};

/** Activities of agent runs, registered as `execAgent.<verb>`. */
export const createExecAgentActivities = (deps: ExecAgentDeps): Record<string, (request: never) => Promise<unknown>> => {
  const { db } = deps;
  const taskQueue = (): string => Context.current().info.taskQueue;
  const activities: ExecAgentActivities = {
    begin: async ({ operationId }) => {
      const { state, maxSteps } = await requireOperation(deps, operationId);
      await beginOperation(db, operationId);
      return { isOver: state === 'done' || state === 'failed', maxSteps, flow: await loadFlow(deps) };
    },
    think: ({ operationId, step }) =>
      translated(deps, async () => {
        const operation = await requireOperation(deps, operationId);
        const known = await readDecision(db, operationId, step);
        const decision = known ?? (await keepDecision(db, operationId, { step, decision: await decide(deps, operation, step) }));
        const { done } = decision as AgentStep;
        return { done, calls: callsOf(step, decision as AgentStep).map(({ callId, apiName }) => ({ callId, apiName })) };
      }),
    useTool: ({ operationId, step, callId }) =>
      translated(deps, async () => {
        const operation = await requireOperation(deps, operationId);
        const call = callsOf(step, (await readDecision(db, operationId, step)) as AgentStep).find((each) => each.callId === callId);
        if (call === undefined) throw ApplicationFailure.nonRetryable(`step ${step} has no call ${callId}`, 'InvalidInput');
        const tool = AGENT_TOOLS.find(({ apiName }) => apiName === call.apiName);
        await callTool(db, operationId, {
          callId,
          step,
          apiName: call.apiName,
          kind: tool?.kind ?? 'unknown',
          arguments: call.arguments,
          effect: (tx) =>
            tool?.run({ tx, operation, callId, args: call.arguments }) ??
            Promise.resolve({ status: 'skipped_unsupported', summary: `there is no tool ${call.apiName}` }),
        });
      }),
    finish: ({ operationId, steps, reason }) => endAgentRun(deps, { operationId, state: 'done', steps, reason, taskQueue: taskQueue() }),
    fail: ({ operationId, steps, reason }) => endAgentRun(deps, { operationId, state: 'failed', steps, reason, taskQueue: taskQueue() }),
  };
  return Object.fromEntries(Object.entries(activities).map(([verb, activity]) => [`${EXEC_AGENT_TYPE}.${verb}`, activity as never]));
};
