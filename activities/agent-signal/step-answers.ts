import { ACTION_SIGNALS } from '../../packages/agent-signal/signal-types.ts';
import type { ExecutorOutcome, RuntimeProcessorResult, ScheduleResult } from '../../packages/agent-signal/results.ts';
import { nodeIdOf } from '../../packages/agent-signal/nodes.ts';
import { createSignal } from '../../packages/agent-signal/builders.ts';
import type { ActionNode, SignalNode } from '../../packages/agent-signal/nodes.ts';
import type { HandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { RunSummary, StepAnswer } from '../../packages/contracts/signal-run.ts';
import type { NodeRow, NewTimer } from '../../packages/contracts/signal-records.ts';
import { redact } from './step-errors.ts';

/** What an answer brings beside itself. */
export interface Answered {
  readonly answer: StepAnswer;
  readonly nodes: readonly NodeRow[];
  readonly timer: NewTimer | null;
}

/** What the answer of a call depends on. */
export interface AnswerContext {
  readonly registry: HandlerRegistry;
  readonly limits: SignalLimits;
  readonly handlerId: string;
  readonly nodeId: string;
  readonly summary: RunSummary;
  /** Scheduled hops of the event so far. */
  readonly hops: number;
}

const failed = (code: string, message: string): Answered => ({ answer: { status: 'failed', error: { code, message } }, nodes: [], timer: null });

const rowOf = (node: SignalNode<object> | ActionNode<object>): NodeRow => ({
  nodeId: nodeIdOf(node),
  kind: node.kind,
  type: node.type,
  depth: node.chain.depth,
  parentId: node.chain.parentNodeId ?? null,
  node,
});

const dispatch = (nodes: readonly (SignalNode<object> | ActionNode<object>)[], { registry, limits, summary }: AnswerContext): Answered => {
  if (nodes.length > limits.nodesPerResult)
    return failed('FanOutExceeded', `${nodes.length} nodes in one result, at most ${limits.nodesPerResult} are allowed`);
  if (summary.nodes + nodes.length > limits.nodesPerEvent)
    return failed('FanOutExceeded', `${summary.nodes + nodes.length} nodes in one event, at most ${limits.nodesPerEvent} are allowed`);
  return { answer: { status: 'dispatch', nodes: nodes.map(registry.refOf) }, nodes: nodes.map(rowOf), timer: null };
};

type Scheduled = ScheduleResult['nextHop'];

const schedule = ({ node, key, delayMs, at, reason }: Scheduled, { limits, hops }: AnswerContext): Answered => {
  const delay = delayMs ?? (at === undefined ? Number.NaN : Date.parse(at) - Date.now());
  if (hops >= limits.continuationsPerChain) return { answer: { status: 'conclude', reason: 'schedule limit reached' }, nodes: [], timer: null };
  if (!(delay >= 0 && delay <= limits.scheduleMaxMs))
    return failed('ScheduleOutOfRange', `a delay of ${delay} ms is not within 0 and ${limits.scheduleMaxMs}`);
  return {
    answer: { status: 'schedule', key, reason: reason ?? null },
    nodes: [rowOf(node)],
    timer: { kind: 'schedule', key, nodeId: nodeIdOf(node), handlerId: null, delayMs: delay, boundMs: limits.scheduleMaxMs },
  };
};

/** The scheduler's view of what the handler of a source or signal returned; null: no opinion. */
export const answerProcessor = (result: RuntimeProcessorResult | null, context: AnswerContext): Answered => {
  if (result === null) return { answer: { status: 'none' }, nodes: [], timer: null };
  switch (result.status) {
    case 'dispatch':
      return dispatch([...(result.signals ?? []), ...(result.actions ?? [])], context);
    case 'wait': {
      const { lane, reason, delay } = result.pending;
      const { handlerId, nodeId, limits } = context;
      const timer: NewTimer = { kind: 'wait', key: lane, nodeId, handlerId, delayMs: delay ?? null, boundMs: limits.laneWaitMs };
      return { answer: { status: 'wait', lane, reason: reason ?? null }, nodes: [], timer };
    }
    case 'schedule':
      return schedule(result.nextHop, context);
    case 'conclude':
      return { answer: { status: 'conclude', reason: result.concluded.reason }, nodes: [], timer: null };
    default:
      return result satisfies never;
  }
};

/** An action's end, whoever brought it about. */
export type ActionEnd = Exclude<ExecutorOutcome, { status: 'start' }>;

/** The scheduler's view of an action's end, with the signal that the runtime makes of it. */
export const answerAction = (
  end: ActionEnd,
  { action, attempt, registry }: { readonly action: ActionNode; readonly attempt: number; readonly registry: HandlerRegistry },
): Answered => {
  const error = end.status === 'failed' ? { ...end.error, message: redact(end.error.message) } : undefined;
  const signal = createSignal({
    parent: action,
    type: ACTION_SIGNALS[end.status],
    id: `${action.actionId}:result`,
    payload: {
      actionId: action.actionId,
      actionType: action.type,
      attempt,
      ...(end.detail === undefined ? {} : { detail: end.detail }),
      ...(error === undefined ? {} : { error }),
    },
  });
  return { answer: { status: 'executed', result: end.status, nodes: [registry.refOf(signal)] }, nodes: [rowOf(signal)], timer: null };
};
