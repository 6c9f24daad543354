import { createSignal } from '../../../packages/agent-signal/builders.ts';
import { defineAgentSignalHandlers, defineSignalHandler, defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition, PolicyBundle } from '../../../packages/agent-signal/define.ts';
import { SIGNAL_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import type { SourcePayloads } from '../../../packages/agent-signal/source-payloads.schema.ts';
import { keepProcedure } from '../../../packages/database/signal-procedures.ts';
import type { SatisfactionPayload } from '../analyze-intent/signals.ts';
import type { PolicyDeps } from '../deps.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import { countTowardsReflection, placeOf } from './counters.ts';
import type { Addition } from './counters.ts';

type Outcome = SourcePayloads['tool.outcome.completed'] | SourcePayloads['tool.outcome.failed'];

const PERSISTENT: Readonly<Record<string, readonly string[]>> = { memory: ['explicit_persistence'], skill: ['tool_command', 'explicit_persistence'] };

/** Key of what an outcome is about: message, operation, tool call, else the fact itself. */
const keyOf = ({ messageId, operationId, toolCallId }: Outcome, sourceId: string): string => {
  if (messageId !== undefined) return `message:${messageId}`;
  if (operationId !== undefined) return `operation:${operationId}`;
  return toolCallId === undefined ? `root-source:${sourceId}` : `tool-call:${toolCallId}`;
};

const isHandled = ({ outcome, domainKey = '', intentClass = '' }: Outcome): boolean => {
  const [domain = ''] = domainKey.split(':');
  return outcome.status !== 'failed' && (PERSISTENT[domain]?.includes(intentClass) ?? false);
};

const additionsOf = ({ tool, outcome }: Outcome): readonly Addition[] => [
  ...(outcome.status === 'failed'
    ? [{ reason: 'same_tool_failure_count', mark: tool.identifier } as const, { reason: 'failed_tool_count' } as const]
    : []),
  { reason: 'tool_call_count' },
];

/** A tool's outcome: kept as procedure state, marked as handled where it settled the matter, counted, and told as a signal, in this order. */
const createOutcomeHandler = (deps: PolicyDeps): HandlerDefinition =>
  defineSourceHandler({
    id: 'tool-outcome.project',
    on: ['tool.outcome.completed', 'tool.outcome.failed'],
    handle: async (context) => {
      const { node, source, scope } = context;
      const payload = node.payload as Outcome;
      const key = keyOf(payload, source.sourceId);
      const domain = payload.domainKey ?? 'tool';
      const { tool, outcome, intentClass } = payload;
      await keepProcedure(deps.db, scope, { kind: 'fact', domain, key: source.sourceId, data: { tool, outcome } });
      await keepProcedure(deps.db, scope, {
        kind: 'receipt',
        domain,
        key: source.sourceId,
        data: compact({ key, intentClass, status: outcome.status }),
      });
      if (isHandled(payload))
        await keepProcedure(deps.db, scope, { kind: 'marker', domain, key, data: compact({ intentClass, by: source.sourceId }) });
      await countTowardsReflection(deps, context as never, {
        place: placeOf(payload, payload.agentId ?? scope.agentId),
        additions: additionsOf(payload),
      });
      const id = `${source.sourceId}:signal:tool-outcome`;
      return { status: 'dispatch', signals: [createSignal({ parent: node, type: SIGNAL_TYPES.toolOutcome, id, payload: compact(payload) })] };
    },
  });

interface Counting {
  readonly id: string;
  readonly on: 'agent.execution.failed' | 'runtime.after_step';
  readonly reason: Addition['reason'];
}

const createCounter = (deps: PolicyDeps, { id, on, reason }: Counting): HandlerDefinition =>
  defineSourceHandler({
    id,
    on,
    handle: async (context) => {
      const { agentId, operationId, topicId } = context.node.payload;
      await countTowardsReflection(deps, context as never, {
        place: placeOf({ operationId, topicId }, agentId ?? context.scope.agentId),
        additions: [{ reason }],
      });
      return null;
    },
  });

/** A correction by the user counts, too. */
const createCorrectionHandler = (deps: PolicyDeps): HandlerDefinition =>
  defineSignalHandler<SatisfactionPayload>({
    id: 'tool-outcome.count-correction',
    on: SIGNAL_TYPES.satisfaction,
    handle: async (context) => {
      const { result, agentId, topicId } = context.node.payload;
      if (result !== 'not_satisfied') return null;
      await countTowardsReflection(deps, context as never, {
        place: placeOf({ topicId }, agentId ?? context.scope.agentId),
        additions: [{ reason: 'user_correction_count' }],
      });
      return null;
    },
  });

/** Outcomes of tools as procedure state, and the counters that ask for a reflection. */
export const createToolOutcomePolicy = (deps: PolicyDeps): PolicyBundle =>
  defineAgentSignalHandlers('tool-outcome', [
    createOutcomeHandler(deps),
    createCounter(deps, { id: 'tool-outcome.count-failure', on: 'agent.execution.failed', reason: 'execution_failed' }),
    createCounter(deps, { id: 'tool-outcome.count-step', on: 'runtime.after_step', reason: 'runtime_step_count' }),
    createCorrectionHandler(deps),
  ]);
